import Foundation
import Glibc
import Testing

@testable import HeliographHost

@Suite("Secret scanner")
struct SecretScannerTests {
    static let hostile: [(piece: String, bytes: Int)] =
        SecretScanner.shapePrefixes.map { ("-" + $0, 32 << 10) }
        + [
            "-eyJ", "eyJ-", "-eyJaaaaaaaaaa.", "eyJaaaaaaaaaa.-", ".eyJaaaaaaaaaa", "-hgh_", "-Bearer ", "-12345678:AA",
            "-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqMIIEvQIBADANBgkqMIIEvQIBADANBgkq\n",
        ].map { ($0, 256 << 10) }

    /// Of this thread alone, so that a loaded machine decides nothing.
    private func seconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("a hostile text takes time that grows with it, and no faster", .timeLimit(.minutes(1)), arguments: hostile)
    func scaling(piece: String, bytes: Int) {
        // What grows with the square of the text takes sixteen times as long for one that is four times as long.
        let short = look(bytes / 4 / piece.utf8.count, piece)
        let long = look(bytes / piece.utf8.count, piece)
        #expect(long < max(8 * short, 0.1))
        // What runs under a sanitizer takes several times as long.
        let patience = ProcessInfo.processInfo.environment["HELIOGRAPH_PATIENCE"].flatMap(Double.init) ?? 1
        #expect(long < 2 * patience)
    }

    private func look(_ count: Int, _ piece: String) -> Double {
        let text = Array(String(repeating: piece, count: count).utf8)
        let begun = seconds()
        _ = SecretScanner.secrets(in: text)
        return seconds() - begun
    }

    // MARK: Keys

    private static let line = String(repeating: "MIIEvQIBADANBgkq", count: 4)

    static let torn: [String] = [
        ": -----BEGIN PRIVATE KEY-----\n/tmp/Xaaa1\(line)/run\necho done",
        "-----BEGIN PRIVATE KEY-----\n\(line)\n", "-----BEGIN PRIVATE KEY-----\n\(line)\n\(line)\nls",
        "-----BEGIN PRIVATE KEY-----\n/\(line)\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n\(line)\n/Ab3\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n\(line)\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n\(line)\nAb3=\n\(line)\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----",
    ]

    @Test("what is no key from its beginning to its end is shown", arguments: torn)
    func tornKeys(text: String) {
        #expect(Redactor().redact(text: text).text == text)
        #expect(SecretScanner.keys(in: Array(text.utf8)).torn == 1)
    }

    @Test("a key that is torn in what a program printed is hidden all the same")
    func tornOutput() {
        let text = "-----BEGIN PRIVATE KEY-----\n\(Self.line)\n\(Self.line)\n"
        #expect(!Redactor().redact(output: text).text.contains(Self.line))
    }

    @Test("an indented key with a header is one")
    func indented() {
        let text =
            "  -----BEGIN RSA PRIVATE KEY-----\n  Proc-Type: 4,ENCRYPTED\n\n  \(Self.line)\n  Ab3=\n  -----END RSA PRIVATE KEY-----"
        #expect(!Redactor().redact(text: text).text.contains(Self.line))
        #expect(SecretScanner.keys(in: Array(text.utf8)) == (1, 0))
    }
}
