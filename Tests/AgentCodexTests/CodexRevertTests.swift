import AgentTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

@Suite("Codex: turns that are reverted")
struct CodexRevertTests {
    private static func turn(_ name: String, _ text: String, answer: String) -> String {
        #"{"id":"\#(name)","status":"completed","completedAt":1800000000,"items":["#
            + #"{"type":"userMessage","id":"u-\#(name)","content":[{"type":"text","text":"\#(text)"}]},"#
            + #"{"type":"agentMessage","id":"a-\#(name)","text":"\#(answer)"}]}"#
    }

    /// A bench that has seen two turns.
    private func twoTurns() -> CodexBench {
        var bench = CodexBench.attached()
        for (name, text) in [("t1", "one"), ("t2", "two")] {
            bench.turnStarts(name)
            bench.notify(
                "item/completed",
                #""turnId":"\#(name)","item":{"type":"userMessage","id":"u-\#(name)","content":[{"type":"text","text":"\#(text)"}]}"#
            )
            bench.notify(
                "item/completed", #""turnId":"\#(name)","item":{"type":"agentMessage","id":"a-\#(name)","text":"Done."}"#)
            bench.turnEnds("completed", name)
        }
        _ = bench.take()
        return bench
    }

    /// Reverts a thread, as Codex 0.163.0 reports it.
    private func revert(_ bench: inout CodexBench, to turn: String?) {
        bench.turns[CodexBench.thread] = turn
        bench.notify("thread/status/changed", #""status":{"type":"notLoaded"}"#)
        bench.rests()
        bench.notify("thread/reverted")
    }

    @Test("the session goes on, what counts no more is said, and nothing is told a second time")
    func reverted() {
        var bench = twoTurns()
        revert(&bench, to: Self.turn("t1", "one", answer: "Done."))
        #expect(bench.take() == ["rewound"])
        bench.pass(.seconds(5))
        #expect(bench.take() == [])
        bench.turnStarts("t3")
        bench.notify("item/completed", #""turnId":"t3","item":{"type":"agentMessage","id":"a-t3","text":"Again."}"#)
        #expect(bench.take().last == "message assistant: Again.")
    }

    @Test("the prompt up to which it counts is said, if there is one")
    func point() {
        for (turn, text) in [(Self.turn("t1", "one", answer: "Done."), "one"), (nil, nil)] as [(String?, String?)] {
            var bench = twoTurns()
            revert(&bench, to: turn)
            let said = try? bench.body(.rewound)
            #expect(said?.text("text") == text)
        }
    }

    @Test("the same after a restart of the daemon")
    func restarted() {
        var bench = twoTurns()
        bench.restart()
        bench.tell(.own(.connected))
        _ = bench.take()
        revert(&bench, to: Self.turn("t1", "one", answer: "Done."))
        #expect(!bench.take().contains { $0.hasPrefix("message") || $0.hasPrefix("session") })
    }

    @Test(
        "turns that were reverted while the daemon was away count no more, whatever came after them",
        arguments: [
            ("t1", ["rewound"], "one"), ("t2", [], nil), (nil, [], nil), ("t1 t3", ["rewound"], "one"),
            ("t2 t3", [], nil),
        ] as [(String?, [String], String?)])
    func away(left: String?, _ expected: [String], text: String?) {
        var bench = twoTurns()
        bench.restart()
        let texts = ["t1": "one", "t2": "two", "t3": "three"]
        let turns = (left?.split(separator: " ") ?? []).reversed().map(String.init)
            .map { Self.turn($0, texts[$0] ?? "", answer: "Done.") }
        bench.turns[CodexBench.thread] = turns.first
        bench.recentTurns[CodexBench.thread] = turns.joined(separator: ",")
        bench.tell(.own(.connected))
        let lines = bench.take()
        #expect(lines.filter { $0 == "rewound" } == expected, "\(lines)")
        #expect((try? bench.body(.rewound))?.text("text") == text)
        bench.notify("thread/reverted")
        #expect(bench.take().filter { $0 == "rewound" } == (expected.isEmpty ? ["rewound"] : []), "it is said once")
    }

    @Test("a thread that is unloaded and not loaded again has ended")
    func unloaded() {
        var bench = twoTurns()
        bench.notify("thread/status/changed", #""status":{"type":"notLoaded"}"#)
        #expect(bench.take() == [])
        bench.pass(.seconds(1))
        #expect(bench.take() == [])
        bench.pass(.seconds(1))
        #expect(bench.take() == ["session.ended "])
    }
}
