internal import COpenSSL
internal import Glibc

package enum CertificateFile {
    /// Days until the first certificate of a PEM file is out of date; below zero: since. Throws `invalidCertificate`.
    package static func daysLeft(_ path: String) throws(CryptoError) -> Int {
        let left = try end(path) - Int64(time(nil))
        return Int(left < 0 ? (left - secondsOfDay + 1) / secondsOfDay : left / secondsOfDay)
    }

    private static let secondsOfDay: Int64 = 24 * 60 * 60

    /// When that is, in seconds since 1970. Throws as well.
    package static func end(_ path: String) throws(CryptoError) -> Int64 {
        let input = unsafe BIO_new_file(path, "r")
        defer { unsafe BIO_free(input) }
        guard unsafe input != nil, let certificate = unsafe PEM_read_bio_X509(input, nil, nil, nil) else {
            throw CryptoError(.invalidCertificate, "\(path) cannot be read as a certificate: \(CryptoError.takeReason())")
        }
        defer { unsafe X509_free(certificate) }
        var (days, seconds) = (Int32(0), Int32(0))
        let epoch = unsafe ASN1_TIME_set(nil, 0)
        defer { unsafe ASN1_TIME_free(epoch) }
        guard unsafe epoch != nil, unsafe ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(certificate)) == 1 else {
            throw CryptoError(.invalidCertificate, "\(path) does not say until when it holds")
        }
        return Int64(days) * secondsOfDay + Int64(seconds)
    }
}
