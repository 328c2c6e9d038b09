import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Typing into Claude Code's own screen")
struct TypingMachineTests {
    @Test("a prompt is typed when all is quiet, Enter follows what is seen, and it is taken by the agent's own word")
    func prompt() {
        var bench = TypingBench()
        bench.prompt("go on", "p1")
        #expect(bench.take() == ["p1 given", "hold", "type ‹go on›", "busy"])
        bench.shows(["go"])
        #expect(bench.take() == [])
        bench.shows(["go on"])
        #expect(bench.take() == ["type Enter"])
        bench.shows([""])
        bench.tell(.prompted("go on", in: TypingBench.session, mode: "default", TypingToken(1)))
        #expect(bench.take() == ["let go on", "p1 taken"])
        bench.tell(.does(.busy))
        bench.pass(200)
        #expect(bench.take() == ["release"])
        bench.tell(.does(.idle))
        #expect(bench.take() == ["idle"])
    }

    @Test("its line in the transcript proves that it was taken; a hook of the person's own can refuse it")
    func proven() {
        for (outcome, said) in [
            (.kept(prompt: "x"), "p1 taken"), (.refused(reason: "no"), "p1 refused: a hook refused it before the model saw it"),
            (nil, "p1 unknown: its hooks have it, and the agent has not shown that it took it: look at the terminal"),
        ] as [(SubmissionLine?, String)] {
            var bench = TypingBench()
            bench.prompt("go on", "p1")
            bench.shows(["go on"])
            _ = bench.take()
            bench.tell(
                .prompted("go on", in: TypingBench.session, mode: "default", isProvable: true, TypingToken(1)))
            #expect(bench.take() == ["let go on"])
            bench.tell(.does(.idle))
            bench.pass(1_000)
            #expect(bench.take() == ["release"])
            bench.prompt("too soon", "p2")
            #expect(bench.take() == ["p2 refused: something else is just being typed for a client"])
            if let outcome { bench.tell(.submitted(outcome)) } else { bench.pass(10_000) }
            #expect(bench.take() == [said, "idle"])
        }
    }

    @Test("half-typed text is set aside first, and Enter waits for our text alone")
    func draft() {
        var bench = TypingBench()
        bench.shows(["half"])
        bench.prompt("go on", "p1")
        #expect(bench.take() == ["p1 given", "hold", "type Ctrl-S", "busy"])
        bench.shows([""])
        #expect(bench.take() == [], "not seen in the stash yet")
        bench.shows([""], isStashUsed: true)
        #expect(bench.take() == ["type ‹go on›"])
        bench.shows(["go on"], isStashUsed: true)
        #expect(bench.take() == ["type Enter"])
    }

    @Test("with a draft in the line and another set aside nothing is touched")
    func bothUsed() {
        var bench = TypingBench()
        bench.shows(["half"], isStashUsed: true)
        bench.prompt("go on", "p1")
        let lines = bench.take()
        #expect(lines.count == 1 && lines[0].hasPrefix("p1 refused: the input line has half-typed text"))
    }

    @Test("nothing is typed while it works, asks, shows a view, or somebody types; its author is told why")
    func notNow() {
        for (prepare, reason) in [
            ({ $0.tell(.does(.busy)) }, "working"), ({ $0.tell(.does(.waiting)) }, "dialog"), ({ $0.tell(.does(nil)) }, "say"),
            ({ $0.tell(.shows(nil)) }, "view"),
        ] as [((inout TypingBench) -> Void, String)] {
            var bench = TypingBench()
            prepare(&bench)
            bench.prompt("go on", "p1")
            bench.pass(10_000)
            let lines = bench.take().filter { $0.hasPrefix("p1") || $0.hasPrefix("type") }
            #expect(lines.count == 1 && lines[0].hasPrefix("p1 refused") && lines[0].contains(reason), "\(lines)")
        }
        var bench = TypingBench()
        bench.tell(.keyTyped)
        #expect(bench.take() == ["waiting"], "what is typed there is not ours to break into")
        bench.prompt("go on", "p1")
        bench.pass(599)
        #expect(!bench.take().contains("type ‹go on›"))
        bench.pass(1)
        #expect(bench.take().contains("type ‹go on›"))
    }

    @Test("what the registry's word does not say its screen says: a prompt waits for a turn, and for nothing else")
    func byTheScreen() {
        for (doing, isInTurn, isInBackground, isFree) in [
            (TypingDoing.unknown, false, false, true), (.unknown, true, false, false), (.busy, false, true, true),
            (.busy, false, false, false), (.busy, true, false, false),
        ] {
            var bench = TypingBench()
            bench.tell(.does(doing))
            bench.shows(isInTurn: isInTurn, isInBackground: isInBackground)
            _ = bench.take()
            bench.prompt("go on", "p1")
            #expect(bench.take().contains("type ‹go on›") == isFree)
            bench = TypingBench()
            bench.tell(.does(doing))
            bench.shows(isInTurn: isInTurn, isInBackground: isInBackground)
            _ = bench.take()
            bench.steer(.interrupt, "i1")
            let said = bench.take()
            #expect(said.contains("type Esc") == !isFree, "with nothing to interrupt a second Esc would open a menu: \(said)")
        }
        var bench = TypingBench()
        bench.tell(.does(.unknown))
        bench.tell(.shows(nil))
        bench.prompt("go on", "p1")
        bench.pass(10_000)
        #expect(bench.take().contains { $0.hasPrefix("p1 refused") }, "a view is open, or a dialog")
    }

    @Test("a dialog that opens while it is typed gets no Enter; the text goes when the line is back")
    func dialogMeanwhile() {
        var bench = TypingBench()
        bench.prompt("go on", "p1")
        _ = bench.take()
        bench.tell(.does(.waiting))
        bench.tell(.shows(nil))
        bench.pass(6_000)
        let lines = bench.take()
        #expect(!lines.contains("type Enter") && lines.contains("release"))
        #expect(lines.contains { $0.hasPrefix("p1 unknown") })
    }

    @Test("what began before Enter takes the text away again, and the draft comes back")
    func busyMeanwhile() {
        var bench = TypingBench()
        bench.shows(["half"])
        bench.prompt("go on", "p1")
        bench.shows([""], isStashUsed: true)
        bench.tell(.does(.busy))
        _ = bench.take()
        bench.shows(["go on"], isStashUsed: true)
        #expect(bench.take() == ["type Ctrl-U ×2"])
        bench.shows([""], isStashUsed: true)
        #expect(bench.take() == ["type Ctrl-S"])
        bench.shows(["half"])
        #expect(bench.take() == ["release"])
        bench.pass(10_000)
        #expect(bench.take() == ["p1 refused: the agent is working"])
    }

    @Test("what never shows is not taken away either: it may still come, and the draft stays where it is")
    func unseen() {
        var bench = TypingBench()
        bench.shows(["half"])
        bench.prompt("go on", "p1")
        bench.shows([""], isStashUsed: true)
        _ = bench.take()
        bench.pass(6_000)
        let lines = bench.take()
        #expect(lines.allSatisfy { !$0.hasPrefix("type") } && lines.contains("release"))
        #expect(lines.contains { $0.hasPrefix("p1 unknown") && $0.contains("set aside") })
    }

    @Test("without the agent's word it is unknown, and Enter is not pressed again; keys are held for two seconds at most")
    func noProof() {
        var bench = TypingBench()
        bench.prompt("go on", "p1")
        bench.shows(["go on"])
        _ = bench.take()
        bench.pass(1_000)
        bench.tell(.keyHeld)
        bench.pass(1_000)
        bench.tell(.keyHeld)
        bench.pass(999)
        #expect(bench.take() == [])
        bench.pass(1)
        #expect(bench.take() == ["release"])
        bench.shows(["go on"])
        bench.pass(1_000)
        let lines = bench.take()
        #expect(lines.first?.hasPrefix("p1 unknown") == true && !lines.contains("type Enter"))
    }

    @Test("a screen that is late is waited for, as long as nobody types", arguments: [false, true])
    func late(typesMeanwhile: Bool) {
        var bench = TypingBench()
        bench.prompt("go on", "p1")
        _ = bench.take()
        if typesMeanwhile { bench.tell(.keyHeld) }
        bench.pass(4_000)
        bench.shows(["go on"])
        #expect(bench.take().contains("type Enter") != typesMeanwhile)
    }

    @Test("what was mixed with text of the person's is given back, and so is known not to be taken")
    func mixed() {
        var bench = TypingBench()
        bench.prompt("go on", "p1")
        bench.shows(["go on"])
        _ = bench.take()
        bench.tell(.prompted("xgo on", in: TypingBench.session, mode: nil, TypingToken(1)))
        let lines = bench.take()
        #expect(lines.first == "give back" && lines.contains { $0.hasPrefix("p1 refused: it was mixed") })
        bench.tell(.prompted("anything", in: TypingBench.session, mode: nil, TypingToken(2)))
        #expect(bench.take().first == "let go on", "what nobody sent from afar is none of ours")
    }

    @Test("a prompt for the conversation that was open before is given back, and is no part of the next one")
    func anotherConversation() {
        var bench = TypingBench()
        bench.prompt("go on", "p1")
        bench.shows(["go on"])
        _ = bench.take()
        bench.tell(.prompted("go on", in: SessionID("claude-next")!, mode: nil, TypingToken(1)))
        let lines = bench.take()
        #expect(lines.first == "give back")
        #expect(lines.contains { $0.hasPrefix("p1 refused: another conversation was opened at the terminal") })
    }

    @Test("a notice that Claude Code writes to itself is let go on, whatever it quotes, and is no evidence")
    func notice() {
        var bench = TypingBench()
        bench.prompt("go on", "p1")
        bench.shows(["go on"])
        _ = bench.take()
        bench.tell(
            .prompted("\n<task-notification>go on</task-notification>", in: TypingBench.session, mode: nil, TypingToken(1)))
        #expect(bench.take() == ["let go on"])
        bench.tell(.prompted("go on", in: TypingBench.session, mode: nil, TypingToken(2)))
        #expect(bench.take().contains { $0.hasPrefix("p1 taken") })
        #expect(TypedText("<task-notification>done")?.text == "> <task-notification>done")
    }

    @Test("an interrupt is one Esc, and the transcript's word; one more only while it still works")
    func interrupt() {
        var bench = TypingBench()
        bench.steer(.interrupt, "i0")
        #expect(bench.take() == ["i0 refused: nothing runs that could be interrupted"])
        bench.tell(.does(.busy))
        _ = bench.take()
        bench.steer(.interrupt, "i1")
        #expect(bench.take() == ["follow", "i1 given", "hold", "type Esc"])
        bench.pass(200)
        #expect(bench.take() == ["release"])
        bench.tell(.interruptWritten)
        #expect(bench.take() == ["i1 taken"])
        bench.steer(.interrupt, "i2")
        bench.pass(2_000)
        #expect(bench.take().filter { $0 == "type Esc" }.count == 2)
        bench.pass(2_000)
        #expect(bench.take().contains { $0.hasPrefix("i2 unknown") })
        bench.steer(.interrupt, "i3")
        bench.tell(.does(.idle))
        bench.pass(2_000)
        let lines = bench.take()
        #expect(lines.filter { $0 == "type Esc" }.count == 1 && lines.contains { $0.hasPrefix("i3 unknown") })
        bench.tell(.does(.waiting))
        _ = bench.take()
        bench.steer(.interrupt, "i4")
        #expect(bench.take() == ["i4 refused: the agent waits for an answer: deny what it asks instead"])
    }

    @Test("a mode is stepped to, and what its screen says is the proof")
    func mode() {
        var bench = TypingBench()
        bench.shows([""], mode: "default")
        _ = bench.take()
        bench.steer(.mode("plan"), "m1")
        #expect(bench.take() == ["m1 given", "hold", "type Shift-Tab", "busy"])
        bench.shows([""], mode: "acceptEdits")
        #expect(bench.take() == ["type Shift-Tab", "busy"])
        bench.shows([""], mode: "plan")
        #expect(bench.take() == ["m1 taken", "release", "idle"])
        #expect(bench.offer?.mode == "plan")
        bench.steer(.mode("default"), "m2")
        bench.pass(1_000)
        #expect(bench.take().contains { $0.hasPrefix("m2 unknown") })
        bench.steer(.mode("bypassPermissions"), "m3")
        #expect(bench.take() == ["m3 refused: that mode is not offered"])
    }

    @Test("a session that asks nobody takes no prompt, and commands are not offered")
    func refused() {
        var bench = TypingBench(mode: "bypassPermissions")
        bench.prompt("go on", "p1")
        #expect(bench.take().first?.hasPrefix("p1 refused: This session asks nobody") == true)
        bench = TypingBench()
        bench.prompt("/compact", "p2", isCommand: true)
        #expect(bench.take() == ["p2 refused: the agent offers no such command"])
        bench.prompt(" \n", "p3")
        #expect(bench.take() == ["p3 refused: there is nothing in it to be typed"])
    }

    @Test("a stop closes the terminal, and the end of the process is its proof; what hangs is killed")
    func stop() {
        var bench = TypingBench()
        bench.steer(.stop, "s1")
        #expect(bench.take() == ["s1 given", "hang up", "busy"])
        bench.tell(.ended)
        #expect(bench.take() == ["s1 taken: the agent has ended"])
        bench = TypingBench()
        bench.steer(.stop, "s1")
        bench.pass(10_000)
        #expect(bench.take().contains("kill"))
    }
}
