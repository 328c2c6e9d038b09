import HeliographCrypto
import Foundation
import Testing

@Suite("A certificate that vouches for itself") struct SelfSignedCertificateTests {
    @Test("serves TLS with its key, and is one that a client can trust")
    func serves() throws {
        let made = try SelfSignedCertificate(names: ["DNS:localhost", "IP:127.0.0.1"], days: 1)
        let folder = FileManager.default.temporaryDirectory.appending(path: "heliograph-certificate-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (certificate, key) = (folder.appending(path: "a.pem"), folder.appending(path: "a.key"))
        try Data(made.certificate.utf8).write(to: certificate)
        try Data(made.privateKey.utf8).write(to: key)
        _ = try TLSContext(serverProtocols: ["h2"], certificateFile: certificate.path, privateKeyFile: key.path)
        _ = try TLSContext(clientProtocols: ["h2"], authorityFile: certificate.path)
    }

    @Test("no two are alike")
    func distinct() throws {
        let made = try (0..<2).map { _ in try SelfSignedCertificate(names: ["DNS:localhost"], days: 1) }
        #expect(made[0].certificate != made[1].certificate)
        #expect(made[0].privateKey != made[1].privateKey)
    }

    @Test("a name that is none is refused", arguments: ["IP:localhost", "localhost", ""])
    func badName(name: String) {
        let error = #expect(throws: CryptoError.self) { try SelfSignedCertificate(names: [name], days: 1) }
        #expect(error?.code == .invalidCertificate)
    }
}
