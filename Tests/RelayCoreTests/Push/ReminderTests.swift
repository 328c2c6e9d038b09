import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Approvals that wait for long")
struct ReminderTests {
    private typealias T = RelayTranscript

    private static let minute: Int64 = 60_000

    /// The minutes after which it rang, over so many hours.
    private func rings(_ rig: PlannerRig, hours: Int, since start: Int64) -> [Int64] {
        var rings: [Int64] = []
        for _ in 0..<hours * 120 {
            rig.pass(Self.minute / 2)
            rings += rig.take().filter { $0.purpose == .alert && $0.urgency == .atOnce }.map {
                ($0.plannedAt - start) / Self.minute
            }
        }
        return rings
    }

    private func asked(_ change: (inout Device) -> Void = { _ in }) throws -> (rig: PlannerRig, ring: PushIntent) {
        let rig = try PlannerRig(change)
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        rig.ask("a1")
        rig.pass(100)
        return (rig, try #require(rig.take().first { $0.purpose == .alert }))
    }

    @Test("what waits is kept for a phone that is away, for as long as Google keeps a message, or until its date")
    func kept() throws {
        let (_, ring) = try asked()
        let days: Int64 = 28 * 86_400
        #expect(ring.expiration == ring.plannedAt / 1_000 + days)
        let rig = try PlannerRig()
        guard case .approvalRequested(var request) = T.request("a1") else { preconditionFailure("it is one") }
        request.expiresAt = rig.transcript.now + 7_200_000
        rig.agent(T.started, .approvalRequested(request))
        rig.pass(100)
        #expect(try #require(rig.take().first { $0.purpose == .alert }).worthUntil == request.expiresAt)
    }

    @Test("it rings again after an hour, and then every four, as the same notification with a code that decides")
    func again() throws {
        let (rig, ring) = try asked { $0.text = .full }
        #expect(rings(rig, hours: 10, since: ring.plannedAt) == [60, 300, 540])
        rig.pass(14_400_000)
        let last = try #require(rig.take().last { $0.purpose == .alert })
        #expect(last.collapse == ring.collapse && last.code?.approval == ApprovalID("a1"))
        rig.command(T.decide(.allow), by: rig.transcript.client("laptop"))
        rig.pass(100)
        #expect(rig.take().count { $0.purpose == .alert && $0.urgency == .whenConvenient } == 1)
        #expect(rings(rig, hours: 6, since: ring.plannedAt).isEmpty)
    }

    @Test("by the times that the relay was given, or never")
    func schedule() throws {
        for (minutes, expected) in [([5, 30], [5, 35, 65, 95, 125, 155]), ([90], [90]), ([], [Int64]())] as [([Int64], [Int64])]
        {
            var settings = PlannerRig.configuration
            settings.reminders = minutes
            let rig = try PlannerRig(settings: settings)
            rig.agent(T.started, .statusChanged(.running, reason: nil))
            rig.ask("a1")
            rig.pass(100)
            let ring = try #require(rig.take().first { $0.purpose == .alert })
            #expect(rings(rig, hours: 2, since: ring.plannedAt) == expected.filter { $0 <= 120 })
        }
    }

    @Test("a restart neither forgets it nor rings at once")
    func restart() throws {
        let (rig, ring) = try asked()
        rig.pass(1_800_000)
        _ = rig.take()
        let again = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        again.resume(rig.transcript)
        again.pass(1_700_000)
        #expect(!again.takePushes().contains { $0.purpose == .alert })
        again.pass(200_000)
        let reminder = try #require(again.takePushes().first { $0.purpose == .alert })
        #expect(reminder.collapse == ring.collapse && reminder.id > ring.id)
    }

    @Test("a clock that is set forward reminds nobody, not even after a restart", arguments: [false, true])
    func clockSet(isRestarted: Bool) throws {
        let (rig, _) = try asked()
        rig.transcript.clockOffset = 7_200_000
        rig.pass(1_000)
        #expect(!rig.take().contains { $0.purpose == .alert })
        var transcript = rig.transcript
        if isRestarted {
            transcript = RelayTranscript(
                state: transcript.state, push: PlannerRig.configuration, now: transcript.now,
                clockOffset: transcript.clockOffset)
            transcript.resume(rig.transcript)
        }
        transcript.pass(3_500_000)
        #expect(!transcript.takePushes().contains { $0.purpose == .alert })
        transcript.pass(200_000)
        #expect(transcript.takePushes().contains { $0.purpose == .alert })
    }

    @Test("in quiet hours it waits for their end, and their change does not hasten it")
    func quiet() throws {
        let (rig, ring) = try asked()
        let minute = rig.transcript.now / Self.minute % 1_440
        rig.register { $0.quiet = QuietHours(from: (minute + 30) % 1_440, to: (minute + 120) % 1_440, timeZone: "UTC") }
        rig.pass(60_000)
        #expect(rig.take().isEmpty)
        rig.register { $0.quiet = QuietHours(from: (minute + 30) % 1_440, to: (minute + 100) % 1_440, timeZone: "UTC") }
        let rung = rings(rig, hours: 3, since: ring.plannedAt)
        #expect(rung.count == 1 && (99...100).contains(rung[0]))
    }

    @Test("a person who looks away from what has rung is not rung at once")
    func lookedAway() throws {
        let (rig, ring) = try asked()
        rig.command(.presence(isForeground: true, session: nil, device: PlannerRig.device))
        rig.command(.seen(T.session, ApprovalID("a1")!))
        rig.command(.presence(isForeground: false, session: nil, device: PlannerRig.device))
        rig.pass(600_000)
        #expect(rig.take().allSatisfy { $0.purpose != .alert })
        #expect(rings(rig, hours: 1, since: ring.plannedAt) == [60])
    }

    @Test("a reminder that was not sent is tried again, and the next counts from that one")
    func failed() throws {
        let (rig, ring) = try asked()
        while rig.transcript.now < ring.plannedAt + 3_600_000 { rig.transcript.pass(10_000) }
        rig.transcript.pass(100)
        #expect(rig.take(.notSent("no network")).contains { $0.purpose == .alert })
        #expect(rings(rig, hours: 5, since: ring.plannedAt) == [60, 300])
    }

    @Test("a card that rings for itself rings again, too")
    func card() throws {
        let rig = try PlannerRig { $0.address.alerts = nil }
        try rig.withCard()
        rig.ask("a1")
        rig.pass(100)
        let start = rig.transcript.now
        _ = rig.take()
        var rung: [Int64] = []
        for _ in 0..<600 {
            rig.pass(Self.minute / 2)
            for order in rig.take() where (try? order.json.required("aps").optional("alert")) ?? nil != nil {
                rung.append((order.plannedAt - start + 500) / Self.minute)
            }
        }
        #expect(rung == [60, 300])
    }
}
