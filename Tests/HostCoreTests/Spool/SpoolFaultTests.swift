import HeliographTestSupport
import RelayProtocol
import Testing

@testable import HostCore

/// A disk that is full, or fails, while a spool writes to it.
@Suite("Spool: a disk that fails")
struct SpoolFaultTests {
    private let one = SessionID("one")!
    private let two = SessionID("two")!
    private static let broken = SpoolError(.failed, "broken")

    private func event(_ session: SessionID, _ text: String) -> Spool.Item { .event(session, Array(text.utf8), isKept: false) }

    @Test("what the disk does not take is a gap with its exact count; what is owed comes when there is room, in its place")
    func full() throws {
        var rig = try HostRig()
        try rig.spool.append(one, "a1")
        try rig.exchange()
        rig.disk.room = rig.disk.size + 20
        for number in 2...4 { #expect(throws: SpoolError.self) { try rig.spool.append(one, "a\(number)") } }
        #expect(throws: SpoolError.self) {
            try rig.spool.append([event(one, "a5"), .owed(one, Array("end".utf8)), .note("n", [1])])
        }
        #expect(rig.spool.isFailing && rig.spool.droppedCount == 4)
        #expect(throws: SpoolError.self) { try rig.spool.retry() }
        rig.disk.room = .max
        try rig.spool.retry()
        #expect(!rig.spool.isFailing && rig.spool.index.notes["n"] == [1])
        try rig.spool.append(one, "a6")
        try rig.exchange()
        #expect(rig.lines(one) == ["a1", "-4", "end", "a6"])
        try rig.restart()
        try rig.exchange()
        #expect(rig.lines(one) == ["a1", "-4", "end", "a6"])
    }

    @Test("the next append finds a disk that is back by itself, and the count outlives a crash")
    func fullThenBack() throws {
        var rig = try HostRig()
        rig.disk.room = rig.disk.size + 10
        #expect(throws: SpoolError.self) { try rig.spool.append(one, "a1", "a2") }
        rig.disk.room = .max
        try rig.spool.append(two, "b1")
        #expect(!rig.spool.isFailing)
        try rig.restart()
        try rig.spool.append(one, "a3")
        try rig.exchange()
        #expect(rig.lines(one) == ["-2", "a3"] && rig.lines(two) == ["b1"])
    }

    @Test("a disk that is full at the start has room for what waits to leave; then the room is kept free again")
    func fullAtStart() throws {
        var rig = try HostRig()
        try rig.spool.append(one, "a1")
        try rig.exchange()
        rig.disconnect()
        try rig.spool.append(one, "a2")
        try rig.spool.append(two, "b1")
        rig.disk.room = rig.disk.size
        try rig.restart()
        #expect(!rig.spool.isFailing)
        try rig.exchange()
        #expect(rig.lines(one) == ["a1", "a2"] && rig.lines(two) == ["b1"])
        // There is room again.
        rig.disk.room = .max
        try rig.restart()
        rig.disk.room = rig.disk.size
        try rig.restart()
        #expect(!rig.spool.isFailing, "the reserve was made anew")
    }

    @Test("what the relay says of a session is written down though the disk is full, or its events would stay")
    func fullWhenAsked() throws {
        var rig = try HostRig()
        try rig.spool.append(one, "a1")
        rig.disk.room = rig.disk.size
        try rig.exchange()
        #expect(rig.lines(one) == ["a1"] && !rig.spool.isFailing)
    }

    @Test("without room to begin a file a spool starts, sends nothing, and goes on when there is room")
    func fullAtStartWithoutReserve() throws {
        var rig = try HostRig()
        try rig.spool.append(one, "a1")
        try rig.disk.remove("reserve")
        rig.disk.room = rig.disk.size
        try rig.restart()
        #expect(rig.spool.isFailing)
        #expect(throws: SpoolError.self) { try rig.exchange() }
        #expect(throws: SpoolError.self) { try rig.spool.append(one, "a2") }
        #expect(rig.lines(one) == [])
        rig.disk.room = .max
        try rig.spool.retry()
        rig.resend()
        try rig.exchange()
        #expect(rig.lines(one) == ["a1"] && rig.spool.index.nextSeq(of: one) == 3)
        try rig.spool.append(one, "a3")
        try rig.exchange()
        #expect(rig.lines(one) == ["a1", "-1", "a3"])
    }

    @Test("a start on a disk that fails in another way is refused")
    func brokenAtStart() throws {
        var rig = try HostRig()
        rig.disk.failing[.replace] = Self.broken
        #expect(throws: SpoolError.self) { try rig.restart() }
    }

    @Test("what waits in memory for the disk is bounded, and beyond that a gap; of a note only the last word waits")
    func owedBound() throws {
        var limits = SpoolLimits()
        limits.owedBytesMax = 10
        var rig = try HostRig(limits: limits)
        rig.disk.failing[.append] = Self.broken
        for text in ["one 4567", "two 4567", "3"] {
            #expect(throws: SpoolError.self) { try rig.spool.append([.owed(one, Array(text.utf8)), .note("n", nil)]) }
        }
        rig.disk.failing = [:]
        try rig.spool.retry()
        try rig.exchange()
        #expect(rig.lines(one) == ["-1", "one 4567", "3"])
    }

    @Test("half a write that cannot be taken back spoils nothing that follows", arguments: [true, false])
    func halfWrite(isTakenBack: Bool) throws {
        var rig = try HostRig()
        try rig.spool.append(one, "a1", "a2")
        rig.disk.failing[.append] = Self.broken
        if !isTakenBack { rig.disk.failing[.truncate] = Self.broken }
        #expect(throws: SpoolError.self) { try rig.spool.append(one, "a3", "a4", "a5", "a6", "a7") }
        rig.disk.failing = [:]
        try rig.spool.append(one, "a8")
        for _ in 0..<2 {
            #expect(try rig.spool.pending(one) == ["1 a1", "2 a2", "8! a8"])
            try rig.restart()
        }
        try rig.exchange()
        #expect(rig.lines(one) == ["a1", "a2", "-5", "a8"])
    }

    @Test("after a failed sync nothing counts as written: it is written again before it is sent, and a power cut takes nothing")
    func sync() throws {
        var rig = try HostRig()
        try rig.spool.append(one, "a1")
        try rig.exchange()
        try rig.spool.append([event(one, "a2"), .note("n", [7]), .event(two, Array("b1".utf8), isKept: true)])
        rig.disk.failing[.synchronize] = Self.broken
        try rig.exchange()
        #expect(rig.lines(one) == ["a1", "a2"] && rig.lines(two) == ["b1"])
        rig.disk.failing = [:]
        rig.disk.cutPower()
        try rig.restart()
        #expect(rig.spool.index.notes == ["n": [7]])
        #expect(rig.spool.index.nextSeq(of: one) == 3 && rig.spool.index.nextSeq(of: two) == 2)
        try rig.spool.append(one, "a3")
        try rig.exchange()
        #expect(rig.lines(one) == ["a1", "a2", "a3"] && rig.lines(two) == ["b1"])
    }

    @Test("what a crashed life wrote and did not synchronize is on disk once the next has begun", arguments: [false, true])
    func crashBeforeSync(syncFails: Bool) throws {
        var rig = try HostRig()
        try rig.spool.append([.note("n", [7])])
        try rig.spool.append([event(one, "a1"), .note("n", nil)])
        if syncFails { rig.disk.failing[.synchronize] = Self.broken }
        try rig.restart()
        rig.disk.failing = [:]
        rig.disk.cutPower()
        try rig.restart()
        #expect(rig.spool.index.notes == [:])
        #expect(try rig.spool.pending(one) == ["1 a1"])
    }

    @Test("while no sync works nothing is sent, and a later sync of the same file is not believed")
    func syncForLong() throws {
        var rig = try HostRig()
        try rig.spool.append(one, "a1")
        rig.disk.failing = [.synchronize: Self.broken, .replace: Self.broken]
        #expect(throws: SpoolError.self) { try rig.exchange() }
        #expect(rig.lines(one) == [] && rig.spool.isFailing)
        #expect(throws: SpoolError.self) { try rig.spool.append(one, "a2") }
        // A sync would succeed now, but prove nothing.
        rig.disk.failing[.synchronize] = nil
        #expect(throws: SpoolError.self) { try rig.exchange() }
        #expect(rig.lines(one) == [])
        rig.disk.failing = [:]
        try rig.spool.retry()
        rig.disk.cutPower()
        try rig.exchange()
        try rig.restart()
        try rig.exchange()
        #expect(rig.lines(one) == ["a1"])
        try rig.spool.append(one, "a3")
        try rig.exchange()
        #expect(rig.lines(one) == ["a1", "-1", "a3"])
    }

    @Test("a relay's word that cannot be written down keeps the session unsent until it can")
    func agreement() throws {
        var rig = try HostRig()
        rig.relay.logs[one] = ModelRelay.Log(through: 5, lines: ["x"])
        try rig.spool.append(one, "a1")
        rig.disk.failing[.append] = Self.broken
        try rig.exchange()
        #expect(rig.lines(one) == ["x"] && rig.spool.isFailing)
        rig.disk.failing = [:]
        try rig.spool.retry()
        rig.resend()
        try rig.exchange()
        #expect(rig.lines(one) == ["x", "a1"])
    }

    @Test("a file that cannot be begun is not there after a crash either")
    func rotation() throws {
        var limits = SpoolLimits()
        limits.segmentBytesMax = 200
        var rig = try HostRig(limits: limits)
        rig.disk.failing[.replace] = Self.broken
        var failures = 0
        for number in 1...20 { do { try rig.spool.append(one, "a\(number)") } catch { failures += 1 } }
        #expect(failures > 0 && rig.disk.fileNames.count == 1)
        rig.disk.failing = [:]
        try rig.spool.append(one, "end")
        try rig.exchange()
        #expect(rig.lines(one) == (1...(20 - failures)).map { "a\($0)" } + ["-\(failures)", "end"])
    }

    @Test("files that cannot be read at opening are lost, and the host goes on behind what the relay has")
    func unreadable() throws {
        var rig = try HostRig()
        try rig.spool.append(one, "a1", "a2")
        try rig.exchange()
        rig.disk.failing[.contents] = SpoolError(.damaged, "bad sector")
        try rig.restart()
        try rig.spool.append(one, "a3")
        try rig.exchange()
        #expect(rig.lines(one) == ["a1", "a2", "a3"])
        rig.disk.failing[.contents] = Self.broken
        #expect(throws: SpoolError.self) { try rig.restart() }
    }

    @Test("a full spool is thinned on a full disk too, and damage in what is kept does not stop it")
    func thinning() throws {
        var limits = SpoolLimits()
        limits.segmentBytesMax = 1_000
        limits.bytesMax = 5_000
        var rig = try HostRig(limits: limits)
        let text = String(repeating: "x", count: 80)
        try rig.spool.append(one, "kept", isKept: true)
        for _ in 1...60 { try rig.spool.append(one, text) }
        #expect(rig.spool.index.bytes <= limits.bytesMax + 1_200 && rig.spool.droppedCount > 0)
        // The oldest file holds the kept one only; it goes bad.
        let oldest = try #require(rig.disk.fileNames.first)
        rig.disk[oldest][rig.disk[oldest].count - 1] ^= 1
        for _ in 1...60 { try rig.spool.append(one, text) }
        #expect(rig.spool.index.bytes <= limits.bytesMax + 1_200)
        try rig.exchange()
        let sent = rig.lines(one).count { !$0.hasPrefix("-") }
        let gone = rig.lines(one).compactMap { $0.hasPrefix("-") ? Int($0.dropFirst()) : nil }.reduce(0, +)
        #expect(sent + gone == 121)
        #expect(rig.spool.droppedCount == gone, "each counts once")
    }

    @Test("what is tried again is counted as dropped once, when it is gone")
    func countedOnce() throws {
        var limits = SpoolLimits()
        limits.segmentBytesMax = 1_000
        limits.bytesMax = 5_000
        var rig = try HostRig(limits: limits)
        try rig.spool.append(one, "kept", isKept: true)
        try rig.spool.append(one, "also kept", isKept: true)
        for _ in 1...30 { try rig.spool.append(one, String(repeating: "x", count: 80)) }
        #expect(rig.spool.droppedCount == 0)
        let oldest = try #require(rig.disk.fileNames.first)
        let damaged = try #require(rig.disk[oldest].firstIndex(of: UInt8(ascii: "k")))
        rig.disk[oldest][damaged] ^= 1
        rig.disk.room = rig.disk.size + 4_000
        for _ in 1...60 { try? rig.spool.append(one, String(repeating: "x", count: 80)) }
        rig.disk.room = .max
        try rig.spool.retry()
        try rig.spool.append(one, "end")
        try rig.exchange()
        let gone = rig.lines(one).compactMap { $0.hasPrefix("-") ? Int($0.dropFirst()) : nil }.reduce(0, +)
        #expect(rig.spool.droppedCount == gone)
    }

    @Test("a note that is written anew takes no more of the room for what is owed")
    func owedNotes() throws {
        var limits = SpoolLimits()
        limits.owedBytesMax = 100
        var rig = try HostRig(limits: limits)
        rig.disk.room = rig.disk.size
        for number in 1...20 {
            #expect(throws: SpoolError.self) {
                try rig.spool.append([.note("n", [UInt8](repeating: UInt8(number), count: 20))])
            }
        }
        #expect(throws: SpoolError.self) { try rig.spool.append([.owed(one, Array("end".utf8))]) }
        rig.disk.room = .max
        try rig.spool.retry()
        try rig.exchange()
        #expect(rig.lines(one) == ["end"] && rig.spool.droppedCount == 0)
    }

    @Test(
        "any faults in any order: each event once and in order or in a gap's count; what was synchronized survives",
        arguments: 1...150)
    func anything(_ seed: UInt64) throws {
        var random = SeededDice(seed: seed)
        var limits = SpoolLimits()
        limits.segmentBytesMax = 400
        var rig = try HostRig(limits: limits)
        var said: [SessionID: Int] = [one: 0, two: 0]
        for _ in 0..<150 {
            let session = random.next() & 1 == 0 ? one : two
            switch random.next() % 12 {
            case 0...4:
                said[session]! += 1
                _ = try? rig.spool.append([event(session, "\(said[session]!)"), .note("n\(random.next() % 3)", [1])])
            case 5, 6: try? rig.exchange(countMax: Int(random.next() % 4), acknowledges: random.next() & 1 == 0)
            case 7: rig.disconnect()
            case 8:
                let operations: [MemoryDisk.Operation] = [.append, .synchronize, .replace, .truncate, .remove]
                rig.disk.failing[operations[Int(random.next() % 5)]] = Self.broken
            case 9: rig.disk.failing = [:]
            case 10:
                rig.disk.failing = [:]
                if random.next() & 1 == 0 { rig.disk.cutPower() }
                try rig.restart()
            default: if (try? rig.spool.retry()) != nil { rig.resend() }
            }
        }
        rig.disk.failing = [:]
        try rig.spool.retry()
        rig.disconnect()
        for session in [one, two] { try rig.spool.append(session, "last") }
        try rig.exchange()
        for session in [one, two] {
            let numbers = rig.lines(session).compactMap { Int($0) }.filter { $0 > 0 }
            #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count, "seed \(seed): \(rig.lines(session))")
            #expect(rig.lines(session).last == "last" && rig.spool.index.pendingCount == 0, "seed \(seed)")
        }
    }
}
