enum Counted {
    static func messages(_ count: Int) -> String { count == 1 ? "1 message" : "\(count) messages" }
}
