import PushPlanner
import RelayProtocol
import Testing

@Suite("Cards that are started by push")
struct CardStartTests {
    private typealias T = RelayTranscript

    private func rig(_ change: (inout Device) -> Void = { _ in }) throws -> PlannerRig {
        let rig = try PlannerRig {
            $0.starts = .always
            change(&$0)
        }
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        return rig
    }

    /// Lets hours pass in steps that a test can afford.
    private func passSlowly(_ rig: PlannerRig, minutes: Int) {
        for _ in 0..<minutes {
            rig.transcript.pass(60_000)
            rig.answer()
        }
    }

    @Test("a busy session gets its card: what changes meanwhile does not put it off")
    func busy() throws {
        let rig = try rig()
        let began = rig.transcript.now
        for number in 1...10 {
            rig.agent(rig.tool(number))
            rig.pass(1_000)
        }
        let starts = rig.take().filter { $0.purpose == .start }
        #expect(starts.count == 1)
        #expect(starts.first.map { $0.plannedAt - began <= 5_000 } == true)
    }

    @Test("a start of which the app never tells is not repeated; one alert tells of the run")
    func unanswered() throws {
        let rig = try rig()
        for number in 1...150 {
            rig.agent(rig.tool(number))
            rig.pass(60_000)
        }
        let sent = rig.take()
        #expect(sent.map(\.purpose) == [.start, .alert])
        #expect(try sent[1].json.required("aps").required("alert").string("title") == "claude-code is working")
        #expect((300_000...301_000).contains(sent[1].plannedAt - sent[0].plannedAt))

        rig.report(card: "late", token: "cc")
        rig.pass(60_000)
        #expect(rig.take().contains { $0.target == .device(token: "cc") }, "told late, it is followed all the same")
    }

    @Test("the second session's card begins when the first is told of, and waits for nothing of its own")
    func second() throws {
        let rig = try rig()
        let other = SessionID("s2")!
        rig.transcript.send([T.started, .statusChanged(.running, reason: nil)], to: other, first: 1, by: rig.host)
        rig.transcript.commit()
        rig.pass(60_000)
        let first = rig.take().filter { $0.purpose == .start }
        #expect(first.count == 1)
        rig.command(
            .card(
                PlannerRig.device,
                CardReport(card: CardID("card1")!, session: first[0].session, token: "cc", state: .active)))
        rig.pass(1_000)
        let second = rig.take().filter { $0.purpose == .start }
        #expect(second.count == 1 && second.first?.session != first[0].session)
    }

    @Test("what the person is asked rings by itself: an unanswered start for it adds no alert")
    func unansweredAsk() throws {
        let rig = try rig { $0.starts = .whenNeeded }
        rig.agent(T.request("a1"))
        rig.pass(400_000)
        #expect(rig.take().map(\.purpose).sorted { $0.rawValue < $1.rawValue } == [.alert, .start])
    }

    @Test("when the system must have taken an unanswered card away, another may be started")
    func unansweredForLong() throws {
        let rig = try rig()
        passSlowly(rig, minutes: 12 * 60 - 5)
        #expect(rig.take().count { $0.purpose == .start } == 1)
        passSlowly(rig, minutes: 10)
        rig.agent(rig.tool(1))
        rig.pass(70_000)
        #expect(rig.take().count { $0.purpose == .start } == 1)
    }

    @Test("an unanswered start is still one after a restart")
    func restart() throws {
        let rig = try rig()
        rig.pass(400_000)
        #expect(rig.take().map(\.purpose) == [.start, .alert])
        let again = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        again.resume(rig.transcript)
        for _ in 1...60 { again.pass(60_000) }
        #expect(again.takePushes().isEmpty)
    }

    @Test("a start that APNs did not take is tried again")
    func refused() throws {
        let rig = try rig()
        rig.pass(60_000, answering: false)
        #expect(rig.take(.notSent("no network")).map(\.purpose) == [.start])
        rig.pass(60_000)
        #expect(rig.take().map(\.purpose) == [.start])
    }

    @Test("an unanswered start of one session is not in the way of another's")
    func otherSession() throws {
        let rig = try rig()
        rig.pass(10_000)
        rig.transcript.send(
            [T.started, .statusChanged(.running, reason: nil)], to: SessionID("s2")!, first: 1, by: rig.host)
        rig.transcript.commit()
        rig.pass(200_000)
        #expect(rig.take().map(\.purpose) == [.start], "one at a time")
        rig.pass(200_000)
        #expect(rig.take().filter { $0.purpose == .start }.map(\.session) == [SessionID("s2")])
    }

    @Test("a card that is reported late does not end the wait for one that was requested after it")
    func lateReport() throws {
        let rig = try rig()
        rig.pass(310_000)
        for name in ["s2", "s3"] {
            rig.transcript.send(
                [T.started, .statusChanged(.running, reason: nil)], to: SessionID(name)!, first: 1, by: rig.host)
            rig.transcript.commit()
        }
        rig.pass(60_000)
        #expect(rig.take().count { $0.purpose == .start } == 2)
        rig.report(card: "late", token: "cc")
        rig.pass(60_000)
        #expect(!rig.take().contains { $0.purpose == .start })
    }

    @Test("beside a card that nobody can end, as its app has told no token, no other is started")
    func withoutToken() throws {
        let rig = try rig()
        rig.pass(10_000)
        rig.report(card: "k", token: nil)
        _ = rig.take()
        rig.agent(.statusChanged(.idle, reason: nil))
        rig.pass(700_000)
        rig.agent(.statusChanged(.running, reason: nil))
        rig.pass(700_000)
        #expect(!rig.take().contains { $0.purpose == .start })
        rig.agent(.sessionEnded(reason: nil, failed: false))
        rig.pass(60_000)
        _ = rig.take()
        rig.report(card: "k", token: "cc")
        rig.pass(10_000)
        #expect(rig.take().map(\.purpose) == [.end], "its token comes, and so does its end")
    }

    @Test("no more cards are started than the system shows of an app")
    func cardsMax() throws {
        let rig = try rig()
        for number in 2...8 {
            rig.transcript.send(
                [T.started, .statusChanged(.running, reason: nil)], to: SessionID("s\(number)")!, first: 1, by: rig.host)
            rig.transcript.commit()
        }
        var started = 0
        for _ in 1...200 {
            rig.pass(30_000)
            for order in rig.take() where order.purpose == .start {
                started += 1
                let report = CardReport(
                    card: CardID("k\(started)")!, session: order.session, token: "c\(started)", state: .active)
                rig.command(.card(PlannerRig.device, report))
            }
        }
        #expect(started == 5)
    }

    @Test("a card begins with what the person is asked, or with the agent at work")
    func words() throws {
        for (starts, title) in [(CardStarts.always, "claude-code is working"), (.whenNeeded, "claude-code wants to run Bash")] {
            let rig = try PlannerRig { $0.starts = starts }
            rig.agent(RelayTranscript.started, .statusChanged(.running, reason: nil))
            rig.pass(60_000)
            if starts == .whenNeeded { rig.agent(RelayTranscript.request("a1")) }
            rig.pass(60_000)
            let order = try #require(rig.take().first { $0.purpose == .start })
            #expect(try order.json.required("aps").required("alert").string("title") == title)
        }
    }
}
