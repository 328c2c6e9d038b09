import RelayCore
import RelayProtocol
import Testing

/// Retention with a clock of the machine that cannot be trusted.
@Suite struct AgeClockTests {
    typealias T = RelayTranscript

    private static let hour: Int64 = 60 * 60 * 1000
    private static let day = 24 * hour
    private static let retention = Retention(ageMax: 30 * day)

    private func keepHouse(_ t: RelayTranscript) {
        t.fire(.housekeeping)
        t.commit()
        while t.timers[.trim] != nil {
            t.fire(.trim)
            t.commit()
        }
    }

    /// A relay with twenty sessions that ended just now, and its clock's record on disk.
    private func filled() -> RelayTranscript {
        let t = T(retention: Self.retention, now: 1_000 * Self.day)
        let host = t.host()
        for number in 1...20 {
            t.send([T.started, .sessionEnded(reason: nil, failed: false)], to: SessionID("s\(number)")!, first: 1, by: host)
        }
        t.commit()
        keepHouse(t)
        return t
    }

    /// The next run, so long after the last one by a clock that is off by so much.
    private func restarted(_ t: RelayTranscript, after passed: Int64, off: Int64, boot: String = "boot1") -> RelayTranscript {
        let next = T(state: t.state, retention: Self.retention, now: t.now + passed, boot: boot, clockOffset: off)
        next.resume(t)
        next.now += passed
        return next
    }

    @Test(arguments: ["boot1", "boot2"])
    func `a start with a clock that is 400 days ahead removes nothing, and a right one afterwards is believed`(boot: String) {
        let ahead = restarted(filled(), after: Self.hour, off: 400 * Self.day, boot: boot)
        keepHouse(ahead)
        #expect(ahead.states.count == 20)
        #expect((ahead.doubt ?? 0) / Self.day >= 399)
        #expect(ahead.told.isEmpty)
        let right = restarted(ahead, after: Self.hour, off: 0, boot: boot + "x")
        #expect(right.doubt == nil)
        right.now += 31 * Self.day
        keepHouse(right)
        #expect(right.states.isEmpty)
    }

    @Test func `a person who confirms the clock has history removed by it, and what was removed is told once`() {
        let t = filled()
        let ahead = restarted(t, after: Self.hour, off: 400 * Self.day, boot: "boot2")
        ahead.handle(.clockConfirmed)
        ahead.commit()
        #expect(ahead.doubt == nil)
        #expect(ahead.states.isEmpty, "at once: who says so waits for it")
        #expect(ahead.told.map(\.reason) == [.age])
        #expect(ahead.told.first?.sessions == 20 && ahead.told.first?.events == 40)
        #expect(ahead.told.first?.oldest == 1_000 * Self.day)
        // The confirmation is stored: the next start doubts nothing.
        #expect(restarted(ahead, after: Self.hour, off: 400 * Self.day, boot: "boot3").doubt == nil)
    }

    @Test func `three days without another jump confirm it, over restarts too`() {
        var t = restarted(filled(), after: Self.hour, off: 400 * Self.day, boot: "boot2")
        for number in 0..<5 {
            t.now += 13 * Self.hour
            keepHouse(t)
            #expect(t.states.count == 20 && t.doubt != nil)
            t = restarted(t, after: Self.hour, off: 400 * Self.day, boot: number % 2 == 0 ? "boot2" : "boot3")
        }
        t.now += 3 * Self.hour
        keepHouse(t)
        #expect(t.doubt == nil && t.states.isEmpty)
    }

    @Test func `a jump while it runs removes nothing, and history ages on by the steady clock`() {
        let t = filled()
        t.clockOffset = 400 * Self.day
        keepHouse(t)
        #expect(t.states.count == 20 && t.doubt == 400 * Self.day)
        // Each day another jump: the clock is never believed.
        for number in 1...31 {
            t.now += Self.day
            t.clockOffset = (400 + Int64(number)) * Self.day
            keepHouse(t)
            #expect(t.states.count == (number < 31 ? 20 : 0), "day \(number)")
        }
    }

    @Test(arguments: ["boot1", "boot2"])
    func `what is said under a clock that is behind is no older for it when the clock is right again`(boot: String) {
        let behind = restarted(filled(), after: Self.hour, off: -900 * Self.day, boot: boot)
        #expect((behind.doubt ?? 0) < -800 * Self.day)
        let host = behind.host()
        behind.send([T.started, .sessionEnded(reason: nil, failed: false)], to: SessionID("young")!, first: 1, by: host)
        behind.commit()
        keepHouse(behind)
        let right = restarted(behind, after: Self.hour, off: 0, boot: boot)
        right.now += 29 * Self.day
        keepHouse(right)
        #expect(right.states.count == 21 && right.doubt == nil)
    }

    @Test func `a weekend without the machine is none of that, and a log without a record says when it was last written to`() {
        let t = filled()
        #expect(restarted(t, after: 2 * Self.day, off: 0, boot: "boot2").doubt == nil)
        var state = t.state
        state.clock = nil
        let upgraded = T(state: state, retention: Self.retention, now: t.now, boot: "boot2", clockOffset: 400 * Self.day)
        upgraded.resume(t)
        keepHouse(upgraded)
        #expect(upgraded.doubt == 400 * Self.day && upgraded.states.count == 20)
    }

    @Test func `a command is not forgotten because the clock has jumped`() {
        let t = T(now: 1_000 * Self.day)
        let host = t.host(capabilities: [.steer])
        t.send([T.started, T.takesPrompts], first: 1, by: host)
        t.commit()
        let client = t.client()
        t.command(.steer(T.session, .prompt(.init(text: "go on"))), id: "1", by: client)
        t.commit()
        t.clockOffset = 10 * Self.day
        keepHouse(t)
        #expect(t.commands.count == 1)
    }

    @Test func `bytes that are too many are removed with their reason, in one word for all steps`() {
        let t = T(retention: Retention(bytesMax: 100_000))
        let host = t.host()
        var first: Int64 = 1
        for _ in 0..<50 {
            t.send((0..<200).map { _ in .sessionRenamed(title: String(repeating: "x", count: 40)) }, first: first, by: host)
            first += 200
        }
        t.commit()
        keepHouse(t)
        #expect(t.told.count == 1 && t.told[0].reason == .bytes)
        #expect(t.told[0].sessions == 0 && t.told[0].oldest == nil && t.told[0].events > 8_000)
    }
}
