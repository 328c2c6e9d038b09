import Foundation
import HeliographTestSupport
import RelayProtocol
import Testing

@testable import AgentClaude
@testable import HostCore

/// No line of a private key leaves the host, whatever the key is and however its text is dressed.
@Suite("Private keys")
struct PrivateKeyTests {
    private let redactor = Redactor()

    // MARK: - Keys

    struct Kind: Sendable, CustomTestStringConvertible {
        let label: String
        /// The first bytes of the key, and the number of bytes that follow.
        let beginning: [UInt8]
        var sizes: ClosedRange<Int>
        var width = 64
        var headers: [String] = []

        var testDescription: String { label + (headers.isEmpty ? "" : ", encrypted") }

        /// Makes a key of random bytes, which look like a real one to a scanner.
        func make(_ dice: inout SeededDice) -> [String] {
            let count = Int.random(in: sizes, using: &dice)
            let words = (0..<(count + 7) / 8).map { _ in dice.next() }
            let bytes = unsafe beginning + words.withUnsafeBytes { unsafe Array($0.prefix(count)) }
            let text = Array(Data(bytes).base64EncodedString())
            let lines = stride(from: 0, to: text.count, by: width).map { String(text[$0..<min($0 + width, text.count)]) }
            return ["-----BEGIN \(label)-----"] + headers + lines + ["-----END \(label)-----"]
        }
    }

    private static let encrypted = ["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-256-CBC,0F3A5C0F3A5C0F3A5C0F3A5C0F3A5C0F", ""]
    static let kinds: [Kind] = [
        Kind(label: "RSA PRIVATE KEY", beginning: [0x30, 0x82, 4, 0xA4, 2, 1, 0, 2, 0x82, 1, 1, 0], sizes: 600...2_400),
        Kind(label: "RSA PRIVATE KEY", beginning: [], sizes: 600...2_400, headers: encrypted),
        Kind(label: "PRIVATE KEY", beginning: [0x30, 0x82, 4, 0xBE, 2, 1, 0, 0x30, 13, 6, 9, 0x2A], sizes: 600...2_400),
        Kind(
            label: "PRIVATE KEY", beginning: [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20],
            sizes: 32...32),
        Kind(label: "ENCRYPTED PRIVATE KEY", beginning: [0x30, 0x82, 5, 0x2D, 0x30, 0x57, 6, 9, 0x2A], sizes: 600...2_400),
        Kind(label: "EC PRIVATE KEY", beginning: [0x30, 0x77, 2, 1, 1, 4, 0x20], sizes: 114...220),
        Kind(
            label: "OPENSSH PRIVATE KEY", beginning: Array("openssh-key-v1\0\0\0\0\u{4}none\0\0\0\u{4}none".utf8),
            sizes: 300...1_800,
            width: 70),
        Kind(label: "PGP PRIVATE KEY BLOCK", beginning: [0x95, 1], sizes: 600...2_400, headers: ["Version: GnuPG v2", ""]),
    ]

    // MARK: - Dresses

    /// A name, and a way of wrapping the key's lines.
    static let dresses: [(name: String, dress: @Sendable ([String]) -> String)] = [
        ("as it is", { $0.joined(separator: "\n") + "\n" }),
        ("without an end of its last line", { "x\n" + $0.joined(separator: "\n") }),
        ("indented", { $0.map { "      " + $0 }.joined(separator: "\n") }),
        ("with tabs", { "key: |\n" + $0.map { "\t\t" + $0 }.joined(separator: "\n") }),
        ("with CRLF", { $0.joined(separator: "\r\n") + "\r\n" }),
        ("in one line", { "KEY=\"" + $0.joined(separator: "\\n") + "\\n\"" }),
        ("in one line with CRLF", { "{\"private_key\":\"" + $0.joined(separator: "\\r\\n") + "\"}" }),
        ("in a JSON text in a JSON text", { "{\\\"k\\\":\\\"" + $0.joined(separator: "\\\\n") + "\\\"}" }),
        ("with blanks for line ends", { "export KEY='" + $0.joined(separator: " ") + "'" }),
        ("in an address", { "k=" + $0.joined(separator: "%0A") }),
        ("as a diff", { "@@ -1,3 +1,9 @@\n" + $0.map { "+" + $0 }.joined(separator: "\n") }),
        ("as a diff that removes it", { $0.map { "-" + $0 }.joined(separator: "\n") }),
        ("quoted", { $0.map { "> " + $0 }.joined(separator: "\n") }),
        ("with numbers", { $0.enumerated().map { "  \($0.offset)\t\($0.element)" }.joined(separator: "\n") }),
        ("found by grep", { $0.enumerated().map { "config/dev/id_rsa:\($0.offset):\($0.element)" }.joined(separator: "\n") }),
        ("as strings", { "k = (\n" + $0.map { "    \"" + $0 + "\\n\"" }.joined(separator: "\n") + ")" }),
        ("as joined strings", { $0.map { "'" + $0 + "\\n' +" }.joined(separator: "\n") }),
        ("in a here-document", { "cat > k <<EOF\n" + $0.joined(separator: "\n") + "\nEOF\nchmod 600 k" }),
        ("without its end", { $0.dropLast().joined(separator: "\n") }),
        ("cut in its middle", { $0.dropLast(2).joined(separator: "\n") + "\n… ⟨cut⟩\n" }),
        ("without its beginning", { $0.dropFirst(2 + ($0.firstIndex(of: "") ?? 0)).joined(separator: "\n") }),
    ]

    private func leaks(_ shown: String, of key: [String]) -> [String] {
        key.dropFirst().dropLast().filter { $0.count > 3 && !$0.contains(":") && shown.contains($0) }
    }

    /// Other keys in each run. What fails names the seed to run again with.
    private static let seed =
        ProcessInfo.processInfo.environment["HELIOGRAPH_KEYS_SEED"].flatMap(UInt64.init) ?? .random(in: 0...(.max))
    private static let again = "HELIOGRAPH_KEYS_SEED=\(seed)"

    private static func dice(_ place: UInt64) -> SeededDice { SeededDice(seed: seed &+ place) }

    @Test("none of hundreds of fresh ones is seen at any place that is looked through, each in another dress", arguments: kinds)
    func hundreds(kind: Kind) throws {
        var dice = Self.dice(14)
        var short = kind
        // Shortened to a few lines each, so that there can be many.
        if kind.sizes.upperBound > 400 { short.sizes = 200...300 }
        for round in 0..<200 {
            let key = short.make(&dice)
            let (name, dress) = Self.dresses[round % Self.dresses.count]
            let text = dress(key)
            #expect(leaks(redactor.redact(text: text).text, of: key) == [], "text, \(name), \(Self.again)")
            let lines = redactor.lines(of: text, isExcerpt: true).joined(separator: "\n")
            #expect(leaks(lines, of: key) == [], "lines, \(name), \(Self.again)")
            let (tool, member) = [("Bash", "command"), ("Write", "content"), ("Edit", "old_string"), ("Edit", "new_string")][
                round % 4]
            let input = #"{"\#(member)":\#(json([text]))}"#
            let result = redactor.redact(try JSONDocument(parsing: input).root, of: tool)
            let shown = try JSONDocument(parsing: result.json).root.members()[0].value.string()
            #expect(
                leaks(shown, of: key) == [] && !(result.redacted && result.isWhole), "\(tool), \(name), \(Self.again)")
            let file = Self.file(key, ["", "    ", "\t"][round % 3])
            let edit = #"{"old_string":\#(json(file)),"new_string":\#(json(file.dropLast() + ["more: 3"]))}"#
            let edited = try #require(ClaudeDiff(tool: "Edit", input: JSONDocument(parsing: edit).root, redactor))
            #expect(leaks(edited.text, of: key) == [], "an edit beside it, \(Self.again)")
            let place = round % file.count
            let patch = try #require(ClaudeDiff(response: JSONDocument(parsing: Self.patch(file, place)).root, redactor))
            #expect(leaks(patch.text, of: key) == [], "line \(place), \(Self.again)")
        }
    }

    @Test("none is seen in a text", arguments: kinds)
    func texts(kind: Kind) {
        var dice = Self.dice(15)
        for _ in 0..<4 {
            let key = kind.make(&dice)
            for (name, dress) in Self.dresses {
                let shown = redactor.redact(text: dress(key)).text
                #expect(leaks(shown, of: key) == [], "\(name), \(Self.again)")
            }
        }
    }

    @Test("none is seen in a tool's input, and who sees it can only deny", arguments: kinds)
    func inputs(kind: Kind) throws {
        var dice = Self.dice(16)
        for _ in 0..<2 {
            let key = kind.make(&dice)
            for (name, dress) in Self.dresses {
                for (tool, member) in [
                    ("Bash", "command"), ("Write", "content"), ("Edit", "old_string"), ("Edit", "new_string"),
                ] {
                    let json = JSONWriter.object { $0.field(tool == "Bash" ? "command" : "x", "ls") }
                    let input = String(decoding: json, as: UTF8.self).replacingOccurrences(
                        of: "\"ls\"", with: String(decoding: JSONWriter.string(dress(key)), as: UTF8.self)
                    ).replacingOccurrences(of: "\"x\"", with: "\"\(member)\"")
                    let result = redactor.redact(try JSONDocument(parsing: input).root, of: tool)
                    let shown = try JSONDocument(parsing: result.json).root.members()[0].value.string()
                    #expect(
                        leaks(shown, of: key) == [] && !(result.redacted && result.isWhole), "\(name), \(tool), \(Self.again)")
                }
            }
        }
    }

    @Test("none is seen in a diff: written, replaced, or beside an edit that is about something else", arguments: kinds)
    func diffs(kind: Kind) throws {
        var dice = Self.dice(17)
        for _ in 0..<2 {
            for indent in ["", "    ", "\t"] {
                let (key, other) = (kind.make(&dice), kind.make(&dice))
                let file = Self.file(key, indent)
                let write = #"{"content":\#(json(file))}"#
                let edit = #"{"old_string":\#(json(key)),"new_string":\#(json(other))}"#
                let written = try #require(ClaudeDiff(tool: "Write", input: JSONDocument(parsing: write).root, redactor))
                let edited = try #require(ClaudeDiff(tool: "Edit", input: JSONDocument(parsing: edit).root, redactor))
                #expect(leaks(written.text, of: key) == [] && written.lines.count == file.count + 1, "\(Self.again)")
                #expect(leaks(edited.text, of: key) + leaks(edited.text, of: other) == [], "\(Self.again)")
                for place in file.indices {
                    let patch = try #require(
                        ClaudeDiff(response: JSONDocument(parsing: Self.patch(file, place)).root, redactor))
                    #expect(leaks(patch.text, of: key) == [], "line \(place), \(Self.again)")
                    #expect(patch.added == 1 && patch.removed == 1)
                }
            }
        }
    }

    private static func file(_ key: [String], _ indent: String) -> [String] {
        ["name: a", "key: |"] + key.map { indent + $0 } + ["port: 1", "more: 2"]
    }

    /// Claude's report of an edit of one line: the line and three around it.
    private static func patch(_ file: [String], _ place: Int) -> String {
        let around = max(0, place - 3)...min(file.count - 1, place + 3)
        let lines = around.flatMap { $0 == place ? ["-" + file[$0], "+" + file[$0] + " "] : [" " + file[$0]] }
        let list = lines.map { String(decoding: JSONWriter.string($0), as: UTF8.self) }.joined(separator: ",")
        return #"{"structuredPatch":[{"oldStart":1,"oldLines":7,"newStart":1,"newLines":7,"lines":[\#(list)]}]}"#
    }

    private func json(_ lines: [String]) -> String {
        String(decoding: JSONWriter.string(lines.joined(separator: "\n")), as: UTF8.self)
    }

    @Test("a key file in base64 is hidden, in one line or in many", arguments: kinds)
    func encoded(kind: Kind) {
        var dice = Self.dice(18)
        for lead in 0..<12 {
            let text = String(repeating: "#", count: lead) + kind.make(&dice).joined(separator: "\n")
            for options: Data.Base64EncodingOptions in [
                [], [.lineLength64Characters, .endLineWithLineFeed], .lineLength76Characters,
            ] {
                let encoded = Data(text.utf8).base64EncodedString(options: options)
                let shown = redactor.redact(text: "data:\n  key: \(encoded)\n").text
                let lines = encoded.split(whereSeparator: \.isNewline).filter { $0.count > 3 }
                #expect(!lines.contains { shown.contains($0) }, "\(lead) bytes before, \(Self.again)")
            }
        }
    }

    @Test("none of OpenSSL and OpenSSH is seen, fresh from their makers", arguments: FreshKeys.commands)
    func fresh(command: String) throws {
        // About fifty keys together; an RSA key takes a processor half a second.
        for _ in 0..<(command.contains("rsa") || command.contains("RSA") ? 2 : 6) {
            let key = try FreshKeys.make(command)
            for (name, dress) in Self.dresses {
                #expect(leaks(redactor.redact(text: dress(key)).text, of: key) == [], "\(name)")
            }
            let file = ["a: 1"] + key.map { "  " + $0 } + ["b: 2"]
            for place in file.indices {
                let patch = try #require(ClaudeDiff(response: JSONDocument(parsing: Self.patch(file, place)).root, redactor))
                #expect(leaks(patch.text, of: key) == [], "line \(place)")
            }
        }
    }

    // MARK: - What is none

    static let none: [String] = [
        "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n/usr/sbin/poweroff\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nrm -rf ~\n-----END PRIVATE KEY-----",
        "grep -r -- '-----BEGIN RSA PRIVATE KEY-----' . && rm -rf build",
        "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqMIIEvQIBADANBgkqMIIEvQIBADANBgkqMIIEvQIBADANBgkq\n-----END CERTIFICATE-----",
        "if line == '-----END PRIVATE KEY-----': return parse_the_private_key(lines)",
        "# PRIVATE KEYS\nsee https://docs.example.com/Security/PrivateKeys2/HowToMakeOne",
        "assert pem.startswith('-----BEGIN PRIVATE KEY-----')\nassert pem.endswith('-----END PRIVATE KEY-----')",
    ]

    @Test("what only speaks of keys stays", arguments: none)
    func harmless(text: String) {
        #expect(redactor.redact(text: text).text == text)
    }

    @Test("one mark stands for a key's lines, and the frame stays")
    func mark() {
        let line = String(repeating: "MIIEvQIBADANBgkq", count: 4)
        let text = "cat > k <<E\n-----BEGIN RSA PRIVATE KEY-----\n\(line)\n\(line)\nAb3=\n-----END RSA PRIVATE KEY-----\nE\nls"
        #expect(
            redactor.redact(text: text).text
                == "cat > k <<E\n-----BEGIN RSA PRIVATE KEY-----\n⟨redacted⟩\n-----END RSA PRIVATE KEY-----\nE\nls")
        let escaped = "K=\"-----BEGIN PRIVATE KEY-----\\n\(line)\\nAb3c\\n-----END PRIVATE KEY-----\\n\""
        #expect(
            redactor.redact(text: escaped).text
                == "K=\"-----BEGIN PRIVATE KEY-----\\n⟨redacted⟩\\n-----END PRIVATE KEY-----\\n\"")
    }
}
