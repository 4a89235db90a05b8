package import CausewayModels

extension ListCursor {
    /// A cursor after which a page in `direction` begins with the record at this one.
    ///
    /// Exact in descending order, where the next longer id is the closest position. In ascending order there is no
    /// closest one: the page may begin with records that have the same key and lower ids.
    package func before(_ direction: LiveDirection) -> ListCursor {
        ListCursor(key: key, id: direction == .ascending ? "" : id + "\u{0}")
    }
}
