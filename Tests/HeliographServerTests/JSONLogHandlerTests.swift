import Foundation
import Logging
import RelayProtocol
import Testing

@testable import HeliographServer

@Suite("The log") struct JSONLogHandlerTests {
    private func line(_ metadata: Logger.Metadata) -> [UInt8] {
        JSONLogHandler.line("paired", of: "heliograph.relay", .notice, metadata, at: Date(timeIntervalSince1970: 0))
    }

    @Test("what a peer wrote is one line that commands, hides and turns nothing")
    func hostile() throws {
        let name = "Ada\n\u{1B}[2J\u{9B}2J\u{85}\u{2028}\u{202E}\u{200B}\u{E0041}é日"
        let bytes = line(["name": "\(name)"])
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(
            text.hasSuffix(#""metadata":{"name":"Ada\n\u001b[2J\u009b2J\u0085\u2028\u202e\u200b\udb40\udc41é日"}}"#), "\(text)")
        #expect(try JSONDocument(parsing: bytes).root.required("metadata").string("name") == name)
    }

    @Test("a value is cut, so that no peer fills the disk")
    func long() { #expect(line(["name": "\(String(repeating: "\u{9B}", count: 100_000))"]).count < 4_096) }
}
