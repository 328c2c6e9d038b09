import AgentTestSupport
import Foundation
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: what it suggests, as offers")
struct ClaudeOfferTests {
    private static func asked(
        _ suggestions: String, tool: String = "Bash", input: String = #"{"command":"npm test"}"#
    ) throws -> ClaudeBench {
        var bench = ClaudeBench()
        try bench.call(
            #"{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"PermissionRequest","permission_mode":"default","#
                + #""tool_name":"\#(tool)","tool_input":\#(input),"permission_suggestions":\#(suggestions)}"#)
        return bench
    }

    private static func offers(_ suggestions: String, tool: String = "Bash") throws -> [Offer] {
        try #require(try asked(suggestions, tool: tool).requests.last).head.offers
    }

    private static let rule =
        #"{ "type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test *"}],"behavior":"allow","destination":"localSettings"}"#

    @Test("each suggestion is an offer with the exact rule and where it is written")
    func recorded() throws {
        #expect(
            try Self.offers("[\(Self.rule)]") == [
                Offer(id: "s0", label: "Allow this from now on", rule: "Bash(npm test *)", scope: .local)
            ])
        let two = Self.rule.replacingOccurrences(
            of: #"[{"toolName"#, with: #"[{"toolName":"Bash","ruleContent":"git push *"},{"toolName"#)
        #expect(try Self.offers("[\(two)]").first?.rule == "Bash(git push *)\nBash(npm test *)")
        let touch =
            #"[{"type":"addDirectories","directories":["/home/me/proj"],"destination":"session"},"#
            + #"{"type":"setMode","mode":"acceptEdits","destination":"session"}]"#
        let offers = try Self.offers(touch)
        #expect(offers.map(\.id) == ["s0", "s1"] && offers.map(\.scope) == [.session, .session])
        #expect(offers[0].rule == "/home/me/proj" && offers[0].mode == nil && !offers[0].isFarReaching)
        #expect(offers[1].rule == nil && offers[1].mode == "acceptEdits" && offers[1].isFarReaching)
    }

    @Test("the rule is spelled as the settings file will have it")
    func escapes() throws {
        let odd = Self.rule.replacingOccurrences(of: "npm test *", with: #"echo '(a\\b)' *"#)
        #expect(try Self.offers("[\(odd)]").map(\.rule) == [#"Bash(echo '\(a\\b\)' *)"#])
        let whole = Self.rule.replacingOccurrences(of: #","ruleContent":"npm test *""#, with: "")
        #expect(try Self.offers("[\(whole)]").map(\.rule) == ["Bash"])
    }

    @Test(
        "it says where it is written, in whichever of its files",
        arguments: [
            ("session", Offer.Scope.session), ("localSettings", .local), ("projectSettings", .project), ("userSettings", .user),
        ])
    func scopes(_ destination: String, _ scope: Offer.Scope) throws {
        let suggestion = Self.rule.replacingOccurrences(of: "localSettings", with: destination)
        #expect(try Self.offers("[\(suggestion)]").map(\.scope) == [scope])
    }

    @Test(
        "what is not known whole is not offered, and the rest is",
        arguments: [
            ("localSettings", "cliArg"), ("addRules", "replaceRules"), (#""allow""#, #""deny""#), (#""allow""#, #""ask""#),
            (#""behavior""#, #""more":1,"behavior""#), (#""ruleContent""#, #""more":1,"ruleContent""#),
            (#""npm test *""#, "7"), (#""npm test *""#, #""""#), (#""Bash""#, #""Bash(ls)""#),
            (#"npm test *"#, #"npm test\n*"#),
            (#"[{"toolName":"Bash","ruleContent":"npm test *"}]"#, "[]"),
        ])
    func unknown(_ known: String, _ other: String) throws {
        let odd = Self.rule.replacingOccurrences(of: known, with: other)
        #expect(odd != Self.rule)
        #expect(try Self.offers("[\(odd),\(Self.rule)]").map(\.id) == ["s1"])
    }

    @Test(
        "of modes only those that ask, and for this session alone",
        arguments: [
            ("acceptEdits", "session", 1), ("plan", "session", 1), ("default", "session", 1),
            ("bypassPermissions", "session", 0),
            ("auto", "session", 0), ("acceptEdits", "localSettings", 0),
        ])
    func modes(_ mode: String, _ destination: String, _ count: Int) throws {
        let suggestion = #"[{"type":"setMode","mode":"\#(mode)","destination":"\#(destination)"}]"#
        #expect(try Self.offers(suggestion).count == count)
        #expect(try Self.offers(suggestion, tool: "ExitPlanMode").isEmpty, "a plan has its modes")
    }

    @Test("nothing is offered where something is hidden that must be seen")
    func secret() throws {
        let key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
        let suggestion = Self.rule.replacingOccurrences(of: "npm test *", with: "curl -H 'X: \(key)' *")
        #expect(try Self.offers("[\(suggestion)]").isEmpty)
        let cut = try Self.asked("[\(Self.rule)]", input: #"{"command":"touch --no-password out1234.txt"}"#)
        let request = try #require(cut.requests.last).head
        #expect(request.isCut && request.offers.isEmpty)
    }

    @Test("a chosen suggestion goes back exactly as it came, a plain allow without any")
    func answered() throws {
        var bench = try Self.asked("[\(Self.rule)]")
        _ = bench.take()
        try bench.decide(.allowWith(offer: "s0"))
        #expect(
            bench.take().suffix(2) == [
                "approval.delivered", #"hook 1: {"behavior":"allow","updatedPermissions":[\#(Self.rule)]}"#,
            ])
        bench = try Self.asked("[\(Self.rule)]")
        _ = bench.take()
        try bench.decide(.allow)
        #expect(bench.take().last == "hook 1: " + ClaudeBench.allow)
    }

    @Test("the digest covers the suggestions; the call is known by its input all the same")
    func digest() throws {
        var bench = try Self.asked("[\(Self.rule)]")
        let request = try #require(bench.requests.last).head
        let plain = ClaudeBench.digests.input(tool: "Bash", Array(#"{"command":"npm test"}"#.utf8))
        #expect(request.digest != plain)
        _ = bench.take()
        try bench.call(
            #"{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"PreToolUse","tool_name":"Bash","#
                + #""tool_input":{"command":"npm test"},"tool_use_id":"toolu_1"}"#)
        #expect(bench.adapter.approvals.first?.call == "toolu_1")
        try bench.decide(.allow, digest: plain)
        #expect(bench.take().contains("approval.stale digestMismatch"))
    }
}
