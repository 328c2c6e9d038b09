import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

@Suite("Codex: what it offers besides a plain yes")
struct CodexOfferTests {
    private static let amendment = #"{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["touch","/home/me/a \"b\""]}}"#

    private static func asked(_ decisions: String) -> CodexBench {
        var bench = CodexBench.attached()
        bench.turnStarts()
        bench.say(
            #"{"method":"item/commandExecution/requestApproval","id":7,"params":{"threadId":"\#(CodexBench.thread)","turnId":"t1","#
                + #""itemId":"call_1","command":"touch a","cwd":"/","availableDecisions":\#(decisions)}}"#)
        _ = bench.take()
        return bench
    }

    @Test("of a command, what it lists: for the session, and the rule that it would write")
    func command() throws {
        let bench = Self.asked(#"["accept","acceptForSession",\#(Self.amendment),"cancel"]"#)
        let offers = try #require(bench.requests.last).head.offers
        #expect(offers.map(\.id) == ["d1", "d2"] && offers.map(\.scope) == [.session, .user])
        #expect(offers[0].rule == nil)
        #expect(offers[1].rule == #"prefix_rule(pattern=["touch", "/home/me/a \"b\""], decision="allow")"#)
    }

    @Test(
        "what it does not list, or what could mean more than is shown, is not offered",
        arguments: [
            #"["accept","cancel"]"#, #"["accept",{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["ls"],"more":1}}]"#,
            #"["accept",{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":[]}}]"#,
            #"["accept",{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["ls",7]}}]"#,
            #"["accept",{"applyNetworkPolicyAmendment":{"network_policy_amendment":{"action":"allow","host":"x.org"}}}]"#,
        ])
    func unknown(_ decisions: String) throws {
        #expect(try #require(Self.asked(decisions).requests.last).head.offers.isEmpty)
    }

    @Test("a rule with a secret in it is not offered, also where quotes and commas part it from its name")
    func secret() throws {
        for word in [#""--token","abcdef1234567890""#, #""Authorization: Bearer abcdef1234567890""#] {
            let rule = #"{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["curl",\#(word)]}}"#
            #expect(try #require(Self.asked(#"["accept",\#(rule)]"#).requests.last).head.offers.isEmpty)
        }
    }

    @Test("a choice is answered with what Codex listed, byte for byte; a plain allow with accept")
    func answered() throws {
        for (verdict, decision) in [
            (Decision.Verdict.allow, #""accept""#), (.allowWith(offer: "d1"), #""acceptForSession""#),
            (.allowWith(offer: "d2"), Self.amendment),
        ] {
            var bench = Self.asked(#"["accept","acceptForSession",\#(Self.amendment),"cancel"]"#)
            try bench.decide(verdict)
            #expect(bench.answers.last?.contains(#"{"decision":\#(decision)}"#) == true)
        }
    }

    @Test("where Codex takes no plain yes, nothing is offered")
    func noPlainYes() throws {
        let request = try #require(Self.asked(#"["acceptForSession","cancel"]"#).requests.last).head
        #expect(request.isCut && request.offers.isEmpty)
    }

    @Test("the digest covers the offers")
    func digest() throws {
        let plain = try #require(Self.asked(#"["accept","cancel"]"#).requests.last).head.digest
        var bench = Self.asked(#"["accept","acceptForSession","cancel"]"#)
        try bench.decide(.allow, digest: plain)
        #expect(bench.take() == ["approval.stale digestMismatch"])
    }

    @Test("a change of files can be allowed until the session ends")
    func changes() throws {
        let offers = CodexOffer.ofChanges()
        #expect(offers.map(\.shown.scope) == [.session])
        let answer = CodexForm(offers: offers).choose(offers[0], words: nil)
        #expect(answer.map { String(decoding: $0, as: UTF8.self) } == #"{"decision":"acceptForSession"}"#)
    }
}
