/// The one name to which a control socket answers.
enum ControlHost {
    static let name = "causeway"
}
