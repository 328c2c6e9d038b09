import HeliographLink
import RelayProtocol
import Testing

@testable import HostCore

@Suite("Link")
struct LinkMachineTests {
    private let one = SessionID("one")!
    private let two = SessionID("two")!

    /// A machine, an index that stands in for the spool, and a clock.
    private struct Bench {
        var machine = LinkMachine(software: "test", name: "laptop")
        var index = SpoolIndex()
        var now = HostInstant(wall: 0, monotonic: 0)

        init() { index.beginSegment(1, bytes: 0) }

        mutating func spool(_ session: SessionID, _ count: Int, bytes: Int = 10) {
            for _ in 0..<count {
                let seq = index.nextSeq(of: session)
                index.add(
                    .event(session, seq: seq, isKept: false, bytes: Array(repeating: 0, count: bytes)), at: 0, size: bytes)
            }
        }

        mutating func tell(_ input: LinkMachine.Input) -> [LinkMachine.Effect] {
            let effects = machine.handle(input, index: index, active: [], at: now)
            for case .acknowledge(let session, let through) in effects { index.acknowledge(session, through: through) }
            for case .drop(let session, let seq) in effects { index.drop(session, seq: seq) }
            return effects
        }

        /// "one 1-3", and "one 5-5 gap" after a gap.
        mutating func send() -> [String] {
            var sent: [String] = []
            while let batch = machine.nextBatch(index) {
                sent.append("\(batch.session) \(batch.first)-\(batch.last)\(batch.isAfterGap ? " gap" : "")")
            }
            return sent
        }

        mutating func connect(_ sessions: [SessionProgress] = []) {
            _ = tell(.started)
            _ = tell(.retry)
            _ = tell(.opened)
            let welcome = Welcome(software: "relay", epoch: Epoch("e")!, heartbeat: Heartbeat(pingSeconds: 7, hangUpSeconds: 9))
            _ = tell(.received(.welcome(welcome, host: Named(id: HostID("h")!, name: "n"), sessions: sessions)))
        }
    }

    private func ack(_ session: SessionID, _ through: Int64) -> LinkMachine.Input {
        .received(.ack([SessionProgress(session: session, through: through)]))
    }

    @Test("hears what is held, as often as it is said")
    func held() {
        var bench = Bench()
        bench.connect()
        for holds in [Holds(everySession: true), Holds(sessions: [one]), Holds()] {
            #expect(bench.tell(.received(.hold(holds))) == [.hold(holds)])
        }
    }

    @Test("connects, says hello with what waits, and sends nothing before the welcome")
    func hello() throws {
        var bench = Bench()
        bench.spool(one, 2)
        #expect(bench.tell(.started) == [.connect])
        #expect(bench.tell(.started) == [])
        let effects = bench.tell(.opened)
        guard case .send(let bytes) = effects.first, case .hello(let hello) = try HostMessage(parsing: bytes) else {
            Issue.record("no hello")
            return
        }
        #expect(hello.sessions == [one] && hello.name == "laptop" && hello.capabilities == [.hold])
        #expect(bench.send() == [])
        bench.connect()
        #expect(bench.send() == ["one 1-2"])
        #expect(bench.machine.heartbeat?.pingSeconds == 7)
    }

    @Test("goes on behind what the relay has, each session by itself")
    func resume() {
        var bench = Bench()
        bench.spool(one, 5)
        bench.spool(two, 2)
        bench.connect([SessionProgress(session: one, through: 3), SessionProgress(session: two, through: 0)])
        #expect(bench.send() == ["one 4-5", "two 1-2"])
        bench.spool(one, 1)
        #expect(bench.send() == ["one 6-6"])
        _ = bench.tell(ack(one, 6))
        _ = bench.tell(ack(two, 2))
        #expect(bench.index.pendingCount == 0)
    }

    @Test("sends from where the relay asks, with a gap where that is gone")
    func resend() {
        var bench = Bench()
        bench.spool(one, 5)
        bench.connect([SessionProgress(session: one, through: 2)])
        #expect(bench.send() == ["one 3-5"])
        _ = bench.tell(.received(.resend(one, from: 1)))
        #expect(bench.send() == ["one 3-5 gap"])
    }

    @Test("what was dropped for room is told as a gap")
    func gap() {
        var bench = Bench()
        bench.spool(one, 6)
        bench.index.drop(one, seq: 3)
        bench.index.drop(one, seq: 4)
        bench.connect()
        #expect(bench.send() == ["one 1-2"])
        _ = bench.tell(ack(one, 2))
        #expect(bench.send() == ["one 5-6 gap"])
    }

    @Test("nothing is sent behind a gap before what comes first is taken: refused, it would be lost")
    func refusedBeforeGap() {
        var bench = Bench()
        bench.spool(one, 4)
        bench.index.drop(one, seq: 3)
        bench.spool(two, 1)
        bench.connect()
        #expect(bench.send() == ["one 1-2", "two 1-1"])
        _ = bench.tell(.received(.notice(Notice(code: "badValue", message: "", path: "$.events[0].kind"))))
        #expect(bench.send() == ["one 1-1"])
        _ = bench.tell(ack(one, 1))
        #expect(bench.send() == ["one 2-2"])
        _ = bench.tell(ack(one, 2))
        #expect(bench.send() == ["one 4-4 gap"])
    }

    @Test("at most 256 events and 900 KiB in a message, and a bounded number of messages on their way")
    func window() {
        var bench = Bench()
        bench.spool(one, 600)
        bench.spool(two, 20, bytes: 200_000)
        bench.connect()
        // Two MiB are on their way; the rest waits for acknowledgements.
        #expect(bench.send() == ["one 1-256", "one 257-512", "one 513-600", "two 1-4", "two 5-8", "two 9-12"])
        _ = bench.tell(ack(two, 4))
        #expect(bench.send() == ["two 13-16"])
        _ = bench.tell(ack(two, 12))
        #expect(bench.send() == ["two 17-20"])
    }

    @Test("after a reconnect everything that is not acknowledged goes again")
    func again() {
        var bench = Bench()
        bench.spool(one, 3)
        bench.connect()
        #expect(bench.send() == ["one 1-3"])
        _ = bench.tell(ack(one, 1))
        _ = bench.tell(.closed(.failed("x"), dice: 0))
        #expect(bench.send() == [])
        bench.connect([SessionProgress(session: one, through: 2)])
        #expect(bench.send() == ["one 3-3"])
    }

    @Test("waits longer each time, up to half a minute, by the dice; and starts afresh after a steady connection")
    func backoff() {
        var bench = Bench()
        func wait(_ reason: LinkEnd = .failed("x"), dice: Double = 1) -> Duration? {
            _ = bench.tell(.started)
            for case .retryAfter(let wait) in bench.tell(.closed(reason, dice: dice)) { return wait }
            return nil
        }
        #expect(wait() == .milliseconds(500))
        #expect(wait() == .seconds(1))
        #expect(wait(dice: 0.5) == .seconds(1))
        #expect(wait(dice: 0) == .zero)
        for _ in 0..<50 { #expect(wait()! <= .seconds(30)) }
        bench.connect()
        bench.now.monotonic += 29_000
        #expect(bench.tell(.closed(.failed("x"), dice: 1)).contains(.retryAfter(.seconds(30))))
        bench.connect()
        bench.now.monotonic += 30_000
        #expect(bench.tell(.closed(.failed("x"), dice: 1)).contains(.retryAfter(.milliseconds(500))))
    }

    @Test(
        "keeps away for a minute from a relay that refuses it, as long as it says where it is full, and for ever when replaced")
    func refused() {
        var bench = Bench()
        for reason in [LinkEnd.refused(status: 401), .peer(code: 4401, reason: ""), .peer(code: 4426, reason: "")] {
            _ = bench.tell(.started)
            #expect(bench.tell(.closed(reason, dice: 0)).contains(.retryAfter(.seconds(60))))
        }
        _ = bench.tell(.started)
        #expect(bench.tell(.closed(.peer(code: 4029, reason: "too many: 17 s"), dice: 0)).contains(.retryAfter(.seconds(17))))
        _ = bench.tell(.started)
        let restarting = LinkEnd.peer(code: 4000, reason: CloseCode.restarting(inMilliseconds: 340))
        #expect(bench.tell(.closed(restarting, dice: 1)).contains(.retryAfter(.milliseconds(340))))
        _ = bench.tell(.started)
        #expect(bench.tell(.closed(.refused(status: 503), dice: 0)).contains(.retryAfter(.zero)))
        _ = bench.tell(.started)
        #expect(bench.tell(.closed(.refused(status: 429), dice: 0)).contains(.retryAfter(.zero)))
        _ = bench.tell(.started)
        let later = LinkEnd.refused(status: 429, retryAfter: .seconds(3))
        #expect(bench.tell(.closed(later, dice: 1)).contains(.retryAfter(.milliseconds(3_500))))
        bench.connect()
        #expect(bench.tell(.closed(.peer(code: 4409, reason: ""), dice: 0)) == [.linkChanged(isLive: false), .log(.replaced)])
        #expect(bench.tell(.retry) == [] && bench.machine.state == .over)
    }

    @Test("hangs up on a relay that does not welcome it")
    func noWelcome() {
        var bench = Bench()
        _ = bench.tell(.started)
        _ = bench.tell(.opened)
        #expect(bench.tell(.welcomeOverdue) == [.close(4009)])
        bench = Bench()
        bench.connect()
        #expect(bench.tell(.welcomeOverdue) == [])
    }

    @Test("an event that the relay will never take is found, dropped, and the rest goes on")
    func poison() {
        var bench = Bench()
        bench.spool(one, 4)
        bench.connect()
        #expect(bench.send() == ["one 1-4"])
        let refusal = LinkMachine.Input.received(.notice(Notice(code: "badValue", message: "", path: "$.events[1].kind")))
        _ = bench.tell(refusal)
        #expect(bench.send() == ["one 1-1"])
        _ = bench.tell(ack(one, 1))
        #expect(bench.send() == ["one 2-2"])
        #expect(bench.tell(refusal).contains(.drop(one, seq: 2)))
        #expect(bench.send() == ["one 3-3 gap"])
        _ = bench.tell(ack(one, 3))
        #expect(bench.send() == ["one 4-4"])
    }

    @Test("a relay that does not know what running tools print has refused no event, and is told no more of it")
    func olderRelay() {
        var bench = Bench()
        bench.spool(one, 4)
        bench.connect()
        #expect(bench.send() == ["one 1-4"] && bench.machine.takesOutput)
        let refusal = LinkMachine.Input.received(.notice(Notice(code: "unknownType", message: "", path: "$.type")))
        #expect(bench.tell(refusal) == [.log(.notice(code: "unknownType"))])
        #expect(bench.send() == [] && !bench.machine.takesOutput)
        _ = bench.tell(ack(one, 4))
        #expect(bench.index.pendingCount == 0)
    }

    @Test("a session that the relay takes no more of waits here, and the others go on")
    func noRoom() {
        var bench = Bench()
        bench.spool(one, 300)
        bench.spool(two, 2)
        bench.connect()
        func refusal(of session: SessionID) -> LinkMachine.Input {
            .received(.notice(Notice(code: "tooMany", message: "", path: "$.session", session: session)))
        }
        #expect(bench.send() == ["one 1-256", "one 257-300", "two 1-2"])
        #expect(bench.tell(refusal(of: one)).contains(.resendAfter(.seconds(5))))
        // Later events of its session are requested again, in vain.
        _ = bench.tell(.received(.resend(one, from: 1)))
        _ = bench.tell(ack(two, 2))
        bench.spool(two, 1)
        #expect(bench.send() == ["two 3-3"])
        // There is one timer for all.
        #expect(!bench.tell(refusal(of: two)).contains(.resendAfter(.seconds(5))))
        #expect(bench.send() == [])
        _ = bench.tell(.resendDue)
        #expect(bench.send() == ["one 1-256", "one 257-300", "two 3-3"])
        _ = bench.tell(ack(one, 300))
        _ = bench.tell(ack(two, 3))
        #expect(bench.index.pendingCount == 0)
    }

    @Test("an event that alone is refused is left out, and its session goes on at once")
    func leftOut() {
        var bench = Bench()
        bench.spool(one, 4)
        bench.connect()
        func refusal(_ seq: Int64) -> LinkMachine.Input {
            .received(.notice(Notice(code: "tooMany", message: "", path: "$.session", session: one, seq: seq)))
        }
        #expect(bench.send() == ["one 1-4"])
        #expect(
            bench.tell(refusal(2))
                == [.log(.notice(code: "tooMany")), .drop(one, seq: 2), .log(.dropped(one, code: "tooMany"))])
        #expect(bench.tell(refusal(2)) == [.log(.notice(code: "tooMany"))], "nothing of it is under way")
        #expect(bench.send() == ["one 1-1"])
        _ = bench.tell(ack(one, 1))
        #expect(bench.send() == ["one 3-4 gap"])
        _ = bench.tell(ack(one, 4))
        #expect(bench.index.pendingCount == 0)
    }

    @Test("a session whose name another host has is dropped, message by message, and holds up no other")
    func nameTaken() {
        var bench = Bench()
        bench.spool(one, 300)
        bench.spool(two, 2)
        bench.connect()
        let refusal = LinkMachine.Input.received(
            .notice(Notice(code: "notFound", message: "", path: "$.session", session: one)))
        #expect(bench.send() == ["one 1-256", "one 257-300", "two 1-2"])
        let first = bench.tell(refusal)
        #expect(first.count == 258 && first.first == .log(.nameTaken(one)) && first.last == .nameTaken(one))
        #expect((1...256).allSatisfy { first.contains(.drop(one, seq: $0)) })
        let second = bench.tell(refusal)
        #expect(second.count == 45 && second.last == .nameTaken(one), "it is logged once")
        #expect(bench.tell(refusal) == [], "nothing of it is under way")
        _ = bench.tell(ack(two, 2))
        #expect(bench.index.pendingCount == 0)
        bench.spool(two, 300)
        #expect(bench.send() == ["two 3-258", "two 259-302"], "not one by one")
    }

    @Test("a notice that more comes than is read is no refusal")
    func slowed() {
        var bench = Bench()
        bench.spool(one, 2)
        bench.connect()
        #expect(bench.send() == ["one 1-2"])
        #expect(bench.tell(.received(.notice(Notice(code: "tooMany", message: "")))) == [.log(.notice(code: "tooMany"))])
        _ = bench.tell(ack(one, 2))
        #expect(bench.index.pendingCount == 0)
    }

    @Test("a relay that cannot store now is asked again later")
    func unavailable() {
        var bench = Bench()
        bench.spool(one, 2)
        bench.connect()
        #expect(bench.send() == ["one 1-2"])
        #expect(bench.tell(.received(.notice(Notice(code: "unavailable", message: "")))).contains(.resendAfter(.seconds(5))))
        #expect(bench.send() == [])
        _ = bench.tell(.resendDue)
        #expect(bench.send() == ["one 1-2"])
    }

    @Test("a relay that can store nothing is sent nothing until it is asked again, and asked once for all that it refused")
    func unavailableForLong() {
        var bench = Bench()
        bench.spool(one, 300)
        bench.connect()
        let refusal = LinkMachine.Input.received(.notice(Notice(code: "unavailable", message: "")))
        func timers(_ effects: [LinkMachine.Effect]) -> Int {
            effects.count { if case .resendAfter = $0 { true } else { false } }
        }
        #expect(bench.send() == ["one 1-256", "one 257-300"])
        for _ in 0..<3 {
            #expect(timers(bench.tell(refusal)) == 1)
            #expect(timers(bench.tell(refusal)) == 0)
            bench.spool(one, 1)
            #expect(bench.send() == [])
            _ = bench.tell(.resendDue)
            #expect(bench.send().first == "one 1-256")
        }
        // A timer of a connection that is over rings for all.
        #expect(timers(bench.tell(refusal)) == 1)
        _ = bench.tell(.closed(.failed("gone"), dice: 0))
        _ = bench.tell(.resendDue)
        _ = bench.tell(.retry)
        bench.connect()
        #expect(timers(bench.tell(refusal)) == 1)
    }

    @Test("of a refusal that names no session all is sent again later")
    func refusedByAnOlderRelay() {
        var bench = Bench()
        bench.spool(one, 2)
        bench.connect()
        _ = bench.send()
        let refusal = LinkMachine.Input.received(.notice(Notice(code: "tooMany", message: "", path: "$.session")))
        #expect(bench.tell(refusal).contains(.resendAfter(.seconds(5))))
        #expect(bench.send() == [])
        _ = bench.tell(.resendDue)
        #expect(bench.send() == ["one 1-2"])
    }

    @Test("a decision is handed on")
    func decision() {
        var bench = Bench()
        bench.connect()
        let decision = Decision(.allow, client: ClientID("c")!, clientName: "n", at: 1, command: CommandID("k")!)
        let digest = InputDigest(String(repeating: "ab", count: 32))!
        #expect(
            bench.tell(.received(.decision(one, ApprovalID("a")!, digest, decision)))
                == [.decide(one, ApprovalID("a")!, digest, decision)])
    }
}
