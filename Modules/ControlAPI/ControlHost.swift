/// The only host name that a control socket accepts.
enum ControlHost {
    static let name = "causeway"
}
