import Foundation
import HeliographTestSupport
import RelayProtocol
import Testing

@testable import HostCore

/// Share of the secrets in commands that are found, and of commands without one that are changed. Security.md has these figures.
@Suite("Secrets in commands, measured")
struct SecretMeasureTests {
    private let redactor = Redactor()

    // MARK: - Values

    /// A fresh value of each kind that the corpus names; `password` is one that a person made up, or a program did.
    static func value(of kind: String, isMadeUp: Bool, _ dice: inout SeededDice) -> String? {
        let digits = "0123456789"
        let small = "abcdefghijklmnopqrstuvwxyz"
        let large = small.uppercased()
        func some(_ count: Int, of letters: String) -> String {
            let letters = Array(letters)
            return String((0..<count).map { _ in letters.randomElement(using: &dice) ?? "0" })
        }
        let word = small + large + digits
        let url = word + "-_"
        func base64(_ count: Int) -> String {
            Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &dice) }).base64EncodedString()
        }
        switch kind {
        case "github": return "ghp_" + some(36, of: word)
        case "aws-id": return "AKIA" + some(16, of: large + digits)
        case "aws-secret": return some(40, of: word + "/+")
        case "openai": return "sk-proj-" + some(48, of: word)
        case "anthropic": return "sk-ant-api03-" + some(93, of: url) + "AA"
        case "stripe": return "sk_live_" + some(24, of: word)
        case "slack": return "xoxb-\(some(12, of: digits))-\(some(13, of: digits))-\(some(24, of: word))"
        case "google": return "AIza" + some(35, of: url)
        case "gitlab": return "glpat-" + some(20, of: word)
        case "npm": return "npm_" + some(36, of: word)
        case "pypi": return "pypi-AgEIcHlwaS5vcmc" + some(80, of: word)
        case "vault": return "hvs." + some(90, of: word)
        case "digitalocean": return "dop_v1_" + some(64, of: "0123456789abcdef")
        case "huggingface": return "hf_" + some(34, of: small + large)
        case "tailscale": return "tskey-auth-k\(some(11, of: word))-\(some(32, of: word))"
        case "telegram": return "AA" + some(33, of: word)
        case "jwt": return "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ\(some(60, of: word)).\(some(43, of: word))"
        case "hex": return some(64, of: "0123456789abcdef")
        case "base64": return base64(33)
        case "base64url": return some(43, of: url)
        case "wireguard": return base64(32)
        case "word24": return some(24, of: word)
        case "word40": return some(40, of: word)
        case "upper8": return some(8, of: large + digits)
        case "password":
            return isMadeUp ? "Blue" + some(5, of: small).capitalized + some(4, of: digits) : some(16, of: word)
        default: return nil
        }
    }

    // MARK: - Corpora

    private struct Line {
        let form: String
        let text: String
        /// True if its secret is known to be missed.
        let isMissed: Bool
    }

    private static func fixture(_ name: String) throws -> [String] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: folder.appending(path: "Fixtures/\(name).txt"), encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
    }

    private static func corpus() throws -> [Line] {
        var form = ""
        return try fixture("commands-with-secrets").compactMap { line in
            if line.hasPrefix("## ") { form = String(line.dropFirst(3)) }
            guard !line.hasPrefix("#") else { return nil }
            let isMissed = line.hasPrefix("! ")
            let text = (isMissed ? String(line.dropFirst(2)) : line).replacingOccurrences(of: "\\n", with: "\n")
            return Line(form: form, text: text, isMissed: isMissed)
        }
    }

    /// The command with fresh values, and those.
    private func fill(_ text: String, isMadeUp: Bool, _ dice: inout SeededDice) throws -> (command: String, values: [String]) {
        var command = ""
        var values: [String] = []
        for (index, part) in text.split(separator: "{", omittingEmptySubsequences: false).enumerated() {
            let end = part.firstIndex(of: "}")
            guard index > 0, let end, let value = Self.value(of: String(part[..<end]), isMadeUp: isMadeUp, &dice) else {
                command += (index > 0 ? "{" : "") + part
                continue
            }
            values.append(value)
            command += value + part[part.index(after: end)...]
        }
        try #require(!values.isEmpty, "no known kind in \(text)")
        return (command, values)
    }

    private func isFound(_ line: Line, _ dice: inout SeededDice) throws -> Bool {
        for round in 0..<4 {
            let (command, values) = try fill(line.text, isMadeUp: round % 2 == 1, &dice)
            let input = JSONWriter.object { $0.field("command", command) }
            let json = redactor.redact(try JSONDocument(parsing: input).root, of: "Bash").json
            let shown = try JSONDocument(parsing: json).root.string("command")
            for text in [redactor.redact(text: command).text, shown]
            where values.contains(where: { text.contains($0.suffix(8)) }) {
                return false
            }
        }
        return true
    }

    // MARK: - Figures

    @Test("what is found is found each time, what is known to be missed is still missed, and Security.md says how many")
    func recall() throws {
        // The same values in each run, because the documentation has their figures.
        var dice = SeededDice(seed: 15)
        let lines = try Self.corpus()
        var forms: [String] = []
        var found: [String: Int] = [:]
        var all: [String: Int] = [:]
        for line in lines {
            if !forms.contains(line.form) { forms.append(line.form) }
            let isFound = try isFound(line, &dice)
            #expect(isFound != line.isMissed, "\(line.text)")
            all[line.form, default: 0] += 1
            if isFound { found[line.form, default: 0] += 1 }
        }
        let rows = forms.map { "| \($0) | \(found[$0] ?? 0) of \(all[$0] ?? 0) |" }
        let total = found.values.reduce(0, +)
        let last = "| all | \(total) of \(lines.count), \(total * 100 / lines.count) % |"
        let security = try Self.security()
        for row in rows + [last] { #expect(security.contains(row), "Security.md has another figure") }
    }

    @Test("no ordinary command is changed, and Security.md says of how many")
    func falseAlarms() throws {
        let commands = try Self.fixture("commands")
        #expect(commands.count > 300)
        for command in commands { #expect(redactor.redact(text: command).text == command) }
        #expect(try Self.security().contains("0 of \(commands.count)"))
    }

    private static let own = ProcessInfo.processInfo.environment["HELIOGRAPH_COMMANDS"]

    @Test("`make redaction COMMANDS=file` lists what would be hidden in commands of one's own", .enabled(if: own != nil))
    func ofOnesOwn() throws {
        let commands = try String(contentsOfFile: #require(Self.own), encoding: .utf8).split(separator: "\n").map(String.init)
        let changed = commands.map { ($0, redactor.redact(text: $0).text) }.filter { $0.0 != $0.1 }
        for (command, shown) in changed { print("\(command)\n  → \(shown)") }
        print("\(changed.count) of \(commands.count) commands have parts that would be hidden")
    }

    private static func security() throws -> String {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        let file = "\(root)/Sources/HeliographServer/HeliographServer.docc/Security.md"
        return try String(contentsOfFile: file, encoding: .utf8)
    }
}
