internal import COpenSSL
internal import CausewaySystem

/// Short, escaped text from certificates, for errors. The contents of a peer's certificate are not trusted.
enum CertificateText {
    static func subject(_ certificate: OpaquePointer) -> String {
        unsafe print { unsafe causeway_X509_NAME_print($0, X509_get_subject_name(certificate)) }
    }

    static func issuer(_ certificate: OpaquePointer) -> String {
        unsafe print { unsafe causeway_X509_NAME_print($0, X509_get_issuer_name(certificate)) }
    }

    /// `DNS:a.example, IP Address:127.0.0.1`; empty if there are none.
    static func alternativeNames(_ certificate: OpaquePointer) -> String {
        let index = unsafe X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
        guard index >= 0, let names = unsafe X509_get_ext(certificate, index) else { return "" }
        return unsafe print { unsafe X509V3_EXT_print($0, names, 0, 0) }
    }

    static func notBefore(_ certificate: OpaquePointer) -> String {
        unsafe print { unsafe ASN1_TIME_print($0, X509_get0_notBefore(certificate)) }
    }

    static func notAfter(_ certificate: OpaquePointer) -> String {
        unsafe print { unsafe ASN1_TIME_print($0, X509_get0_notAfter(certificate)) }
    }

    /// The organisation (O) of a name; nil if there is none.
    static func organization(_ name: OpaquePointer?) -> String? {
        guard let name = unsafe name else { return nil }
        let index = unsafe X509_NAME_get_index_by_NID(name, NID_organizationName, -1)
        guard index >= 0, let entry = unsafe X509_NAME_get_entry(name, index) else { return nil }
        let text = unsafe print { unsafe ASN1_STRING_print($0, X509_NAME_ENTRY_get_data(entry)) }
        return text.isEmpty ? nil : text
    }

    private static func print(_ body: (OpaquePointer) -> Int32) -> String {
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { return "" }
        defer { unsafe BIO_free(bio) }
        _ = unsafe body(bio)
        let text = unsafe PEMText.contents(of: bio)
        let short = String(decoding: text.prefix(TLSLimits.certificateTextBytesMax), as: UTF8.self)
        // OpenSSL escapes only the names, and not every character that could deceive a reader.
        let oneLine = VisibleText.oneLine(short)
        return text.count > TLSLimits.certificateTextBytesMax ? oneLine + "…" : oneLine
    }
}
