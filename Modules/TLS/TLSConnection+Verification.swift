internal import COpenSSL

// Determines the problem of a chain. OpenSSL decides *whether* a certificate is accepted; this code only describes its
// verdict.
//
// "Unknown authority" and "missing intermediate" are the same to OpenSSL: the issuer of the topmost certificate is
// neither sent nor trusted. They are distinguished by these rules, in this order:
//   1. The chain ends above the peer's own certificate: unknown authority.
//   2. The system's store is used: missing intermediate, because public authorities never issue from their root
//      (CA/Browser Forum baseline requirements §6.1.7).
//   3. A trusted authority has exactly the issuer's name (but another key): unknown authority. It was created anew.
//   4. The peer sent more than its own certificate and none of it is the issuer: missing intermediate.
//   5. The certificate contains an address of its issuer (AIA), or a trusted authority is of the issuer's organisation
//      (O): missing intermediate.
//   6. Otherwise: unknown authority. The detail always names the missing issuer, so that even a wrong guess is of use.

extension TLSConnection {
    static let verifyCallback: @convention(c) (Int32, OpaquePointer?) -> Int32 = { accepted, store in
        guard accepted != 1, let store = unsafe store,
            let connection = unsafe TLSConnection.of(causeway_X509_STORE_CTX_get_ssl(store))
        else { return accepted }
        if connection.verificationFailure == nil {
            connection.verificationFailure = unsafe connection.failure(in: store)
        }
        return accepted
    }

    private func failure(in store: OpaquePointer) -> (problem: CertificateProblem, detail: String) {
        let code = unsafe X509_STORE_CTX_get_error(store)
        let depth = unsafe X509_STORE_CTX_get_error_depth(store)
        let words = unsafe String(cString: X509_verify_cert_error_string(Int(code)))
        guard let certificate = unsafe X509_STORE_CTX_get_current_cert(store) else { return (.other, words) }
        let subject = unsafe CertificateText.subject(certificate)
        if let forged = unsafe forgedCertificate(in: store) {
            let (forger, name) = unsafe (CertificateText.subject(forged), CertificateText.issuer(forged))
            return (.unknownAuthority, "\(forger) claims the issuer \(name), which did not sign it")
        }
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return (.expired, unsafe "\(subject) expired on \(CertificateText.notAfter(certificate))")
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return (.notYetValid, unsafe "\(subject) is valid from \(CertificateText.notBefore(certificate))")
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            let names = unsafe CertificateText.alternativeNames(certificate)
            return (.wrongHost, "requested \(peerName); the certificate lists \(names.isEmpty ? "no names" : names)")
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            return (.selfSigned, subject)
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
            return (.unknownAuthority, "the chain ends at \(subject)")
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            let issuer = unsafe CertificateText.issuer(certificate)
            let problem = unsafe unlinked(certificate, depth: depth, store: store)
            return (problem, "\(subject) was issued by \(issuer), which was not sent and is not trusted here")
        case X509_V_ERR_CERT_REVOKED:
            return (.revoked, subject)
        default:
            return (Self.problem(for: code), "\(words): \(subject)")
        }
    }

    /// The first certificate of the chain that was not signed by the one above it.
    ///
    /// OpenSSL checks names and uses first and signatures last, so a forged certificate would be reported as one for
    /// another name, and the reader would ask for a certificate with the right name.
    private func forgedCertificate(in store: OpaquePointer) -> OpaquePointer? {
        let chain = unsafe X509_STORE_CTX_get0_chain(store)
        let count = unsafe causeway_X509_stack_count(chain)
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        for index in 0..<max(0, count - 1) {
            let certificate = unsafe causeway_X509_stack_value(chain, index)
            let issuer = unsafe causeway_X509_stack_value(chain, index + 1)
            guard let key = unsafe X509_get0_pubkey(issuer) else { continue }
            // -1 is a signature that cannot be checked here, for which OpenSSL has an error of its own.
            if unsafe X509_verify(certificate, key) == 0 { return unsafe certificate }
        }
        return nil
    }

    private static func problem(for code: Int32) -> CertificateProblem {
        switch code {
        case X509_V_ERR_INVALID_PURPOSE, X509_V_ERR_INVALID_CA, X509_V_ERR_PATH_LENGTH_EXCEEDED,
            X509_V_ERR_KEYUSAGE_NO_CERTSIGN, X509_V_ERR_INVALID_NON_CA, X509_V_ERR_PERMITTED_VIOLATION,
            X509_V_ERR_EXCLUDED_VIOLATION, X509_V_ERR_CERT_REJECTED, X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION:
            .wrongUsage
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
            .weak
        case X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_CHAIN_TOO_LONG, X509_V_ERR_CERT_SIGNATURE_FAILURE:
            .unknownAuthority
        default:
            .other
        }
    }

    private var peerName: String {
        if case .client(_, let name) = role { name.text } else { "a client" }
    }

    private func unlinked(_ certificate: OpaquePointer, depth: Int32, store: OpaquePointer) -> CertificateProblem {
        if depth > 0 { return .unknownAuthority }
        if case .client(let context, _) = role, context.trustsSystem { return .missingIntermediate }
        let kinship = unsafe Self.kinship(
            of: X509_get_issuer_name(certificate), in: X509_STORE_CTX_get0_store(store))
        if kinship == .sameName { return .unknownAuthority }
        if unsafe Self.sendsOthers(than: certificate, store) { return .missingIntermediate }
        if unsafe X509_get_ext_by_NID(certificate, NID_info_access, -1) >= 0 { return .missingIntermediate }
        return kinship == .sameOrganization ? .missingIntermediate : .unknownAuthority
    }

    /// Some servers send their own certificate twice, which is not a chain.
    private static func sendsOthers(than certificate: OpaquePointer, _ store: OpaquePointer) -> Bool {
        let sent = unsafe X509_STORE_CTX_get0_untrusted(store)
        return (0..<(unsafe causeway_X509_stack_count(sent))).contains { index in
            unsafe X509_cmp(causeway_X509_stack_value(sent, index), certificate) != 0
        }
    }

    private enum Kinship {
        case none
        case sameOrganization
        case sameName
    }

    /// The relation of a name to the authorities of the store; the closest one counts.
    private static func kinship(of name: OpaquePointer?, in store: OpaquePointer?) -> Kinship {
        guard let store = unsafe store else { return .none }
        let organization = unsafe CertificateText.organization(name)
        var nearest = Kinship.none
        // Other connections verify against the same store at the same time.
        guard unsafe X509_STORE_lock(store) == 1 else { return .none }
        defer { unsafe X509_STORE_unlock(store) }
        let objects = unsafe X509_STORE_get0_objects(store)
        for index in 0..<(unsafe causeway_X509_OBJECT_stack_count(objects)) {
            guard let anchor = unsafe causeway_X509_OBJECT_stack_certificate(objects, index) else { continue }
            let anchorName = unsafe X509_get_subject_name(anchor)
            if unsafe X509_NAME_cmp(anchorName, name) == 0 { return .sameName }
            if let organization, unsafe CertificateText.organization(anchorName) == organization {
                nearest = .sameOrganization
            }
        }
        return nearest
    }
}
