internal import COpenSSL

package enum CertificateFile {
    /// Days until the first certificate of a PEM file is out of date; below zero: since. Throws `invalidCertificate`.
    package static func daysLeft(_ path: String) throws(CryptoError) -> Int {
        let input = unsafe BIO_new_file(path, "r")
        defer { unsafe BIO_free(input) }
        guard unsafe input != nil, let certificate = unsafe PEM_read_bio_X509(input, nil, nil, nil) else {
            throw CryptoError(.invalidCertificate, "\(path) cannot be read as a certificate: \(CryptoError.takeReason())")
        }
        defer { unsafe X509_free(certificate) }
        var (days, seconds) = (Int32(0), Int32(0))
        // Without a beginning it is now.
        guard unsafe ASN1_TIME_diff(&days, &seconds, nil, X509_get0_notAfter(certificate)) == 1 else {
            throw CryptoError(.invalidCertificate, "\(path) does not say until when it holds")
        }
        return seconds < 0 ? Int(days) - 1 : Int(days)
    }
}
