import Foundation
import HostRules
import RelayProtocol
import Testing

/// Command lines in which something that no rule allows stands beside something that one does, and lines that rules have to answer.
@Suite struct CorpusTests {
    static let book = try! RuleBook(parsing: text("rules.toml"))
    static let forbidden = lines("forbidden.jsonl")
    static let allowed = lines("allowed.jsonl")

    private static func text(_ name: String) -> String {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return try! String(contentsOf: folder.appending(path: "Fixtures/\(name)"), encoding: .utf8)
    }

    private static func lines(_ name: String) -> [String] {
        text(name).split(separator: "\n").map { try! JSONDocument(parsing: String($0)).root.string() }
    }

    private func verdict(_ command: String, of book: RuleBook = book) throws -> RuleBook.Verdict {
        let input = try JSONDocument(parsing: JSONWriter.object { $0.field("command", command) }).root
        let call = RuleCall(agent: "claude", tool: "Bash", input: input, folder: "/home/me/site", home: "/home/me")
        return book.judge(call, at: RuleMoment(day: "2026-11-28", minute: 600), look: { $0 })
    }

    @Test func noForbiddenCommandPasses() throws {
        #expect(Self.forbidden.count >= 2_000)
        for line in Self.forbidden {
            guard case .allow(let rules) = try verdict(line) else { continue }
            Issue.record("allowed by \(rules): \(line.debugDescription)")
        }
    }

    /// Every line that may run `touch` is denied or asked by a rule that denies it. Git runs nothing that it reads.
    @Test func aDenialIsWalkedAroundInNoIdiom() throws {
        let book = try RuleBook(parsing: "[[rule]]\nname = 'no'\nanswer = 'deny'\nfor = 'Bash(touch:*)'")
        let lines = Self.forbidden.filter { line in
            line.contains("touch") && !["git apply", "git fast-import"].contains(where: line.contains)
        }
        #expect(lines.count >= 1_400)
        for line in lines {
            switch try verdict(line, of: book) {
            case .deny, .ask(_, rule: "no"): continue
            default: Issue.record("not seen: \(line.debugDescription)")
            }
        }
    }

    @Test func plainLinesAreAnswered() throws {
        for line in Self.allowed {
            guard case .ask(let why, _) = try verdict(line) else { continue }
            Issue.record("\(why): \(line.debugDescription)")
        }
    }

    /// Commands that bash refuses are not allowed, and bash can read those that are.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")))
    func bashReadsWhatIsAllowed() throws {
        for line in Self.forbidden + Self.allowed where !line.utf8.contains(0) {
            guard case .allow = try verdict(line) else { continue }
            #expect(try isRead(line), "bash cannot read \(line.debugDescription)")
        }
    }

    private func isRead(_ line: String) throws -> Bool {
        let bash = Process()
        bash.executableURL = URL(filePath: "/bin/bash")
        bash.arguments = ["-n", "-c", line]
        bash.standardError = FileHandle.nullDevice
        try bash.run()
        bash.waitUntilExit()
        return bash.terminationStatus == 0
    }
}
