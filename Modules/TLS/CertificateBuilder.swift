internal import COpenSSL

/// Builds one X.509 v3 certificate from its options (RFC 5280).
struct CertificateBuilder {
    private let options: CertificateOptions
    private let certificate: Certificate
    private let issuer: Certificate

    /// - Parameter issuer: nil for a self-signed certificate.
    init(_ options: CertificateOptions, key: PrivateKey, issuer: Certificate?) throws(TLSError) {
        ERR_clear_error()
        guard let empty = unsafe X509_new() else { throw Self.problem }
        self.options = options
        certificate = unsafe Certificate(owning: unsafe empty)
        self.issuer = issuer ?? certificate
        try setSubject()
        try setSerial()
        let start = unsafe X509_gmtime_adj(X509_getm_notBefore(empty), options.startsInSeconds)
        let end = unsafe X509_gmtime_adj(X509_getm_notAfter(empty), options.endsInSeconds)
        guard unsafe start != nil, unsafe end != nil,
            unsafe X509_set_version(empty, 2) == 1,
            unsafe X509_set_issuer_name(empty, X509_get_subject_name(self.issuer.pointer)) == 1,
            unsafe X509_set_pubkey(empty, key.pointer) == 1
        else { throw Self.problem }
        try addExtensions()
    }

    func sign(with key: PrivateKey) throws(TLSError) -> Certificate {
        let digest =
            switch options.signature {
            case .sha256: unsafe EVP_sha256()
            case .sha1: unsafe EVP_sha1()
            }
        guard unsafe X509_sign(certificate.pointer, key.pointer, digest) > 0 else { throw Self.problem }
        return certificate
    }

    private func setSubject() throws(TLSError) {
        let name = unsafe X509_get_subject_name(certificate.pointer)
        for (field, text) in [("O", options.organization ?? ""), ("CN", options.commonName)] where !text.isEmpty {
            let bytes = Array(text.utf8)
            guard unsafe causeway_X509_NAME_add_utf8(name, field, bytes, Int32(clamping: bytes.count)) == 1 else {
                throw .configuration("\"\(text.prefix(80))\" is not valid in a certificate; use at most 64 characters")
            }
        }
    }

    /// Sets a serial number of 159 random bits: positive and unique (RFC 5280 §4.1.2.2).
    private func setSerial() throws(TLSError) {
        var bytes = SecureRandom.bytes(20)
        bytes[0] &= 0x7f
        bytes[0] |= 0x40
        guard let number = unsafe BN_bin2bn(bytes, Int32(bytes.count), nil) else { throw Self.problem }
        defer { unsafe BN_free(number) }
        let serial = unsafe X509_get_serialNumber(certificate.pointer)
        guard unsafe BN_to_ASN1_INTEGER(number, serial) != nil else { throw Self.problem }
    }

    private func addExtensions() throws(TLSError) {
        switch options.purpose {
        case .authority(let pathLength):
            let limit = pathLength.map { ",pathlen:\($0)" } ?? ""
            try add(NID_basic_constraints, "critical,CA:TRUE" + limit)
            try add(NID_key_usage, "critical,keyCertSign,cRLSign")
        case .server:
            try add(NID_basic_constraints, "critical,CA:FALSE")
            try add(NID_key_usage, leafUsage)
            try add(NID_ext_key_usage, "serverAuth")
        case .client:
            try add(NID_basic_constraints, "critical,CA:FALSE")
            try add(NID_key_usage, leafUsage)
            try add(NID_ext_key_usage, "clientAuth")
        }
        try add(NID_subject_key_identifier, "hash")
        if issuer !== certificate { try add(NID_authority_key_identifier, "keyid:always") }
        let names = if let raw = options.rawAlternativeNames { raw } else { try alternativeNames() }
        if !names.isEmpty { try add(NID_subject_alt_name, names) }
        if let constraints = options.nameConstraints { try add(NID_name_constraints, "critical," + constraints) }
    }

    private var leafUsage: String {
        if case .rsa = options.key { "critical,digitalSignature,keyEncipherment" } else { "critical,digitalSignature" }
    }

    private func alternativeNames() throws(TLSError) -> String {
        var parts: [String] = []
        for name in options.names {
            // Characters that OpenSSL would interpret as syntax (commas, colons) are rejected in a name.
            switch try ServerName(String(name.map { $0 == "*" ? "a" : $0 })) {
            case .address(let address): parts.append("IP:\(address)")
            case .host(let host): parts.append("DNS:\(name.contains("*") ? name.lowercased() : host)")
            }
        }
        return parts.joined(separator: ",")
    }

    private func add(_ nid: Int32, _ value: String) throws(TLSError) {
        guard unsafe causeway_X509_add_extension(certificate.pointer, issuer.pointer, nid, value) == 1 else {
            throw Self.problem
        }
    }

    private static var problem: TLSError {
        .configuration("a certificate cannot be made (\(OpenSSLErrors.take().text))")
    }
}
