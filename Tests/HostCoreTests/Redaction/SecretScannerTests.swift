import Glibc
import Testing

@testable import HostCore

@Suite("Secret scanner")
struct SecretScannerTests {
    static let hostile: [(piece: String, bytes: Int)] =
        SecretScanner.shapePrefixes.map { ("-" + $0, 32 << 10) }
        + [
            "-eyJ", "eyJ-", "-eyJaaaaaaaaaa.", "eyJaaaaaaaaaa.-", ".eyJaaaaaaaaaa", "-hgh_", "-Bearer ", "-12345678:AA",
            "-----BEGIN PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqMIIEvQIBADANBgkqMIIEvQIBADANBgkq\n",
        ].map { ($0, 256 << 10) }

    /// Processor time of this thread alone, so that the load of the machine has no effect.
    private func seconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("a hostile text takes time that grows with it, and no faster", .timeLimit(.minutes(1)), arguments: hostile)
    func scaling(piece: String, bytes: Int) {
        // Quadratic time would make a text of four times the length take sixteen times as long.
        let short = look(bytes / 4 / piece.utf8.count, piece)
        let long = look(bytes / piece.utf8.count, piece)
        #expect(long < max(8 * short, 0.1))
    }

    private func look(_ count: Int, _ piece: String) -> Double {
        let text = Array(String(repeating: piece, count: count).utf8)
        let begun = seconds()
        _ = SecretScanner.secrets(in: text)
        return seconds() - begun
    }
}
