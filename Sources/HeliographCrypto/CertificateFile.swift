internal import CHeliographOpenSSL
internal import Glibc

package enum CertificateFile {
    /// Days until the first certificate of a PEM file expires; negative after that. Throws `invalidCertificate`.
    package static func daysLeft(_ path: String) throws(CryptoError) -> Int {
        let left = try end(path) - Int64(time(nil))
        return Int(left < 0 ? (left - secondsOfDay + 1) / secondsOfDay : left / secondsOfDay)
    }

    private static let secondsOfDay: Int64 = 24 * 60 * 60

    /// Time of expiry, in seconds since 1970. Throws `invalidCertificate`.
    package static func end(_ path: String) throws(CryptoError) -> Int64 {
        let certificate = unsafe try read(path)
        defer { unsafe X509_free(certificate) }
        var (days, seconds) = (Int32(0), Int32(0))
        let epoch = unsafe ASN1_TIME_set(nil, 0)
        defer { unsafe ASN1_TIME_free(epoch) }
        guard unsafe epoch != nil, unsafe ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(certificate)) == 1 else {
            throw CryptoError(.invalidCertificate, "\(path) does not say until when it holds")
        }
        return Int64(days) * secondsOfDay + Int64(seconds)
    }

    /// DNS names and IP addresses of the first certificate in a PEM file, in its order; other kinds of names are skipped. Throws
    /// `invalidCertificate`.
    package static func names(_ path: String) throws(CryptoError) -> [String] {
        let certificate = unsafe try read(path)
        defer { unsafe X509_free(certificate) }
        let index = unsafe X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
        guard index >= 0, let text = unsafe BIO_new(BIO_s_mem()) else { return [] }
        defer { unsafe BIO_free(text) }
        guard unsafe X509V3_EXT_print(text, X509_get_ext(certificate, index), 0, 0) == 1 else { return [] }
        var bytes = [UInt8](repeating: 0, count: namesBytesMax)
        let count = unsafe BIO_read(text, &bytes, Int32(bytes.count))
        let entries = String(decoding: bytes.prefix(Int(max(count, 0))), as: UTF8.self).split(separator: ", ")
        return entries.compactMap { entry in
            ["DNS:", "IP Address:"].first { entry.hasPrefix($0) }.map { String(entry.dropFirst($0.count)) }
        }
    }

    /// Limit of all names: more than a person looks at.
    private static let namesBytesMax = 16 << 10

    /// The caller frees it.
    private static func read(_ path: String) throws(CryptoError) -> OpaquePointer {
        let input = unsafe BIO_new_file(path, "r")
        defer { unsafe BIO_free(input) }
        guard unsafe input != nil, let certificate = unsafe PEM_read_bio_X509(input, nil, nil, nil) else {
            throw CryptoError(.invalidCertificate, "\(path) cannot be read as a certificate: \(CryptoError.takeReason())")
        }
        return unsafe certificate
    }
}
