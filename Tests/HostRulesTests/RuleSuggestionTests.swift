import HostRules
import RelayProtocol
import Testing

/// Rules made from what a person answered.
@Suite struct RuleSuggestionTests {
    private func past(
        _ tool: String, _ input: KeyValuePairs<StaticString, String>, _ answer: PastCall.Answer?, agent: String = "claude",
        folder: String? = "/home/me/site"
    ) -> PastCall {
        let bytes = JSONWriter.object { for (key, value) in input { $0.field(key, value) } }
        let call = RuleCall(
            agent: agent, tool: tool, input: try? JSONDocument(parsing: bytes).root, folder: folder, home: "/home/me")
        return PastCall(call, at: RuleMoment(day: "2026-11-28", minute: 720), answer: answer)
    }

    private func commands(_ lines: [String], _ answer: PastCall.Answer? = .allowed) -> [PastCall] {
        lines.map { past("Bash", ["command": $0], answer) }
    }

    private func suggested(_ calls: [PastCall]) -> [String] {
        RuleSuggestion.list(for: calls) { $0 }.map { "\($0.rule.answer) \($0.rule.patterns.map(\.text)) \($0.calls.count)" }
    }

    private let five = Array(repeating: "npm test", count: 5)

    @Test func theSameAnswerFiveTimesIsOne() {
        #expect(suggested(commands(five)) == ["allow [\"Bash(npm test)\"] 5"])
        #expect(suggested(commands(Array(five.dropLast()))) == [])
        #expect(suggested(commands(five, .denied)) == ["deny [\"Bash(npm test)\"] 5"])
        #expect(suggested(commands(five, nil)) == [])
    }

    @Test func oneOtherAnswerIsEnoughAgainstIt() {
        #expect(suggested(commands(five) + commands(["npm test"], .denied)) == [])
    }

    @Test func aStarIsForDifferentCallsThatItCovers() {
        let logs = ["a", "b", "c", "d", "e"].map { "git log \($0)" }
        #expect(suggested(commands(logs)) == ["allow [\"Bash(git log:*)\"] 5"])
        #expect(suggested(commands(logs) + commands(["git log z"], .denied)) == [])
        #expect(suggested(commands(["git log a", "git log a", "git log b", "git log b", "git log b"])) == [])
        // A command that no star matches is no reason for one.
        #expect(suggested(commands(logs.map { $0 + " --output=x" })) == [])
    }

    @Test func aLineOfSeveralProgramsIsNone() {
        #expect(suggested(commands(Array(repeating: "npm test && touch forbidden", count: 9))) == [])
        #expect(suggested(commands(Array(repeating: "cat *.txt", count: 9))) == [])
    }

    @Test func filesAddressesAndToolsHaveTheirs() {
        let edits = (0..<5).map { past("Edit", ["file_path": "/home/me/site/src/\($0).ts"], .allowed) }
        #expect(suggested(edits) == ["allow [\"Edit(src/*)\"] 5"])
        let one = (0..<5).map { _ in past("Write", ["file_path": "/home/me/site/README"], .allowed) }
        #expect(suggested(one) == ["allow [\"Edit(./README)\"] 5"])
        #expect(suggested((0..<9).map { past("Edit", ["file_path": "/etc/\($0)"], .allowed) }) == [])
        let pages = (0..<5).map { past("WebFetch", ["url": "https://docs.example.org/\($0)"], .allowed) }
        #expect(suggested(pages) == ["allow [\"WebFetch(domain:docs.example.org)\"] 5"])
        let tools = (0..<5).map { past("mcp__tracker__list", ["page": "\($0)"], .allowed) }
        #expect(suggested(tools) == ["allow [\"mcp__tracker__list\"] 5"])
    }

    @Test func itHoldsForItsAgentAloneWhateverItsName() {
        let calls = (0..<5).map { _ in past("Bash", ["command": "npm test"], .allowed, agent: "gemini") }
        #expect(RuleSuggestion.list(for: calls) { $0 }.map(\.rule.agent) == ["gemini"])
    }

    @Test func itHoldsForItsAgentAndFolderAndReadsAsItIsWritten() throws {
        let calls = commands(five) + (0..<5).map { _ in past("Bash", ["command": "npm test"], .allowed, folder: "/srv") }
        let found = RuleSuggestion.list(for: calls) { $0 }.map(\.rule)
        #expect(found.map(\.folder) == ["/home/me/site", "/srv"] && found.allSatisfy { $0.agent == "claude" })
        #expect(try RuleBook(parsing: found.map(\.toml).joined(separator: "\n\n")).rules == found)
        let quoted = RuleSuggestion.list(for: commands(Array(repeating: "echo \"a b\"", count: 5))) { $0 }.map(\.rule)
        #expect(quoted.map(\.toml).count == 1)
        #expect(try RuleBook(parsing: quoted[0].toml).rules == quoted)
    }
}
