/// Secrets that a user wrote into an address, such as the password in `https://ann:secret@chat.example`.
extension ServerAddress {
    /// The part of an address that is logged, in Unicode scalars.
    private static let loggedScalarsMax = 256

    /// Whether the address has user information, a query or a fragment, none of which the address of a server has.
    package static func mayHaveSecret(_ address: String) -> Bool {
        address.utf8.contains { byte in
            byte == UInt8(ascii: "@") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
        }
    }

    /// The address for a log, cut to a bounded length.
    ///
    /// An address that may have a secret is not repeated, and neither is a text without a scheme, which may be a token
    /// in the wrong place.
    package static func loggable(_ address: String) -> String {
        guard !mayHaveSecret(address), let colon = address.firstIndex(of: ":"), colon != address.startIndex,
            address[colon...].hasPrefix("://")
        else { return "(not an address; hidden)" }
        return String(String.UnicodeScalarView(address.unicodeScalars.prefix(loggedScalarsMax)))
    }
}
