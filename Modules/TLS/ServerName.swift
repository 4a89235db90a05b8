import COpenSSL
import CausewaySystem

/// The name of the server as given by the caller: a host name or an address. The two are verified differently, and an
/// address is never sent as a server name (RFC 6066 §3).
enum ServerName: Sendable, Hashable {
    case host(String)
    case address(String)

    /// - Throws: `TLSError.configuration` for a text that OpenSSL would interpret differently: an empty one (no check
    ///   at all), a leading dot (any subdomain), an embedded NUL.
    init(_ text: String) throws(TLSError) {
        var name = Substring(text)
        if name.first == "[", name.last == "]" { name = name.dropFirst().dropLast() }
        if name.contains(":"), let zone = name.firstIndex(of: "%") { name = name[..<zone] }
        if Self.isAddress(String(name)) {
            self = .address(String(name))
            return
        }
        if name.last == "." { name = name.dropLast() }
        let allowed = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard allowed, !name.isEmpty, name.utf8.count <= 253, name.first != ".", !name.contains("..") else {
            throw .configuration("the server's name is not a host name or an address; write other scripts as xn--…")
        }
        self = .host(name.lowercased())
    }

    /// Also the key for stored sessions.
    var text: String {
        switch self {
        case .host(let text), .address(let text): text
        }
    }

    static func isAddress(_ text: String) -> Bool { AddressText.isAddress(text) }
}

// MARK: - Verification of the host name

extension ServerName {
    /// Makes a connection accept only a server whose certificate is for this name; sends a host name as the SNI.
    ///
    /// - Throws: `TLSError.configuration` if OpenSSL refuses the name.
    func requireCertificate(on ssl: OpaquePointer) throws(TLSError) {
        let parameters = unsafe SSL_get0_param(ssl)
        // Only the subject alternative names count; a subject that happens to match must not.
        let flags = UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
        unsafe X509_VERIFY_PARAM_set_hostflags(parameters, flags)
        let isSet =
            switch self {
            case .host(let host):
                unsafe X509_VERIFY_PARAM_set1_host(parameters, host, host.utf8.count) == 1
                    && causeway_SSL_set_tlsext_host_name(ssl, host) == 1
            case .address(let address):
                unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, address) == 1
            }
        guard isSet else { throw .configuration("the server's name cannot be verified against") }
    }
}
