internal import CHeliographOpenSSL

/// A self-signed certificate with its key, both in PEM: for tests and demonstrations, whose clients are told to trust exactly this
/// one.
package struct SelfSignedCertificate: Sendable {
    package let certificate: String
    /// Secret.
    package let privateKey: String

    /// `names` are those of the server, as OpenSSL spells them: `DNS:localhost`, `IP:127.0.0.1`. Valid for this many days from an
    /// hour ago, because clocks differ. Throws `invalidCertificate` if a name is not one.
    package init(names: [String], days: Int) throws(CryptoError) {
        let key = ES256PrivateKey()
        let pair = unsafe key.shared
        guard let certificate = unsafe X509_new() else {
            fatalError("OpenSSL could not allocate a certificate: out of memory")
        }
        defer {
            unsafe X509_free(certificate)
            unsafe EVP_PKEY_free(pair)
        }
        var serial = Crypto.random(count: 16)
        // A serial number must be positive, so its first bit is cleared.
        serial[0] &= 0x7F
        let number = unsafe BN_bin2bn(serial, Int32(serial.count), nil)
        defer { unsafe BN_free(number) }
        let subject = unsafe X509_get_subject_name(certificate)
        let isMade =
            unsafe X509_set_version(certificate, 2) == 1
            && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
            && X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != nil
            && X509_time_adj_ex(X509_getm_notAfter(certificate), Int32(days), 0, nil) != nil
            && X509_NAME_add_entry_by_txt(subject, "CN", 0x1000 | 1, "Heliograph APNs simulator", -1, -1, 0) == 1
            && X509_set_issuer_name(certificate, subject) == 1
            && X509_set_pubkey(certificate, pair) == 1
        guard isMade else { fatalError("OpenSSL could not make a certificate: \(CryptoError.takeReason())") }
        for (kind, value) in [
            (NID_subject_alt_name, names.joined(separator: ",")), (NID_basic_constraints, "critical,CA:TRUE"),
            (NID_key_usage, "critical,digitalSignature,keyCertSign"), (NID_ext_key_usage, "serverAuth"),
        ] {
            guard unsafe Self.add(kind, value, to: certificate) else {
                throw CryptoError(.invalidCertificate, "no certificate can name \(value): \(CryptoError.takeReason())")
            }
        }
        guard unsafe X509_sign(certificate, pair, EVP_sha256()) > 0 else {
            fatalError("OpenSSL could not sign a certificate: \(CryptoError.takeReason())")
        }
        self.certificate = unsafe Self.pem(of: certificate)
        privateKey = key.pem
    }

    private static func add(_ kind: Int32, _ value: String, to certificate: OpaquePointer) -> Bool {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, certificate, certificate, nil, nil, 0)
        guard let made = unsafe X509V3_EXT_nconf_nid(nil, &context, kind, value) else { return false }
        defer { unsafe X509_EXTENSION_free(made) }
        return unsafe X509_add_ext(certificate, made, -1) == 1
    }

    private static func pem(of certificate: OpaquePointer) -> String {
        let output = unsafe BIO_new(BIO_s_mem())
        defer { unsafe BIO_free(output) }
        guard unsafe PEM_write_bio_X509(output, certificate) == 1 else {
            fatalError("OpenSSL could not write a certificate: \(CryptoError.takeReason())")
        }
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(output))
        _ = unsafe BIO_read(output, &bytes, Int32(bytes.count))
        return String(decoding: bytes, as: UTF8.self)
    }
}
