import Foundation
import Testing

@testable import HeliographCrypto

@Suite("Certificate file") struct CertificateFileTests {
    private func file(_ text: String) throws -> String {
        let path = NSTemporaryDirectory() + "heliograph-certificate-\(UUID().uuidString).pem"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    @Test("the days that are left, and those since it is out of date", arguments: [3, 1, 0, -5])
    func days(_ valid: Int) throws {
        let path = try file(SelfSignedCertificate(names: ["DNS:localhost"], days: valid).certificate)
        defer { try? FileManager.default.removeItem(atPath: path) }
        // A second may have passed since.
        #expect((valid - 1...valid).contains(try CertificateFile.daysLeft(path)))
        let end = Date(timeIntervalSince1970: Double(try CertificateFile.end(path)))
        #expect(abs(end.timeIntervalSinceNow - Double(valid) * 86_400) < 600)
    }

    @Test("the names and addresses that it is for")
    func names() throws {
        let names = ["DNS:relay.test", "DNS:*.relay.test", "IP:127.0.0.1", "IP:::1"]
        let path = try file(SelfSignedCertificate(names: names, days: 1).certificate)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try CertificateFile.names(path) == ["relay.test", "*.relay.test", "127.0.0.1", "0:0:0:0:0:0:0:1"])
    }

    @Test("what is no certificate says so")
    func none() throws {
        let path = try file("no certificate")
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect { try CertificateFile.daysLeft(path) } throws: { ($0 as? CryptoError)?.code == .invalidCertificate }
        #expect { try CertificateFile.daysLeft("/nowhere.pem") } throws: { ($0 as? CryptoError)?.code == .invalidCertificate }
    }
}
