import RelayProtocol
import Testing

@testable import HostCore

/// A spool's handling of files that are torn, damaged, lost or old, with a relay that has seen some of it.
@Suite("Spool: damage")
struct SpoolDamageTests {
    private static let one = SessionID("one")!
    private static let two = SessionID("two")!
    private var one: SessionID { Self.one }
    private var two: SessionID { Self.two }

    /// A host that sent some events, and wrote more: its disk, and the relay.
    private func past(sent: Int) throws -> HostRig {
        var rig = try HostRig()
        try rig.spool.append(one, "a1", "a2")
        try rig.spool.append(two, "b1")
        try rig.exchange(acknowledges: false)
        try rig.restart()
        if sent > 0 { try rig.exchange(countMax: sent, acknowledges: false) }
        try rig.spool.append([.event(one, Array("a3".utf8), isKept: true), .note("n", [1])])
        try rig.spool.append(two, "b2")
        if sent > 1 { try rig.exchange(acknowledges: false) }
        return rig
    }

    /// Continues with another run that writes before it reaches the relay, and one that writes after.
    private func goOn(_ rig: inout HostRig) throws {
        try rig.restart()
        try rig.spool.append(one, "a4", "a5", "a6", "a7")
        try rig.restart()
        try rig.spool.append(one, "a8")
        try rig.spool.append(two, "b3")
        try rig.exchange()
        try rig.spool.append(one, "a9")
        try rig.exchange()
        #expect(rig.spool.index.pendingCount == 0)
    }

    /// Each of `surely` is there, nothing is there twice, all in order, and nothing that was never said.
    private func check(_ rig: HostRig, _ session: SessionID, of all: [String], surely: [String], _ context: String) {
        let lines = rig.lines(session).filter { !$0.hasPrefix("-") }
        #expect(lines == all.filter(lines.contains), "\(context): \(rig.lines(session))")
        #expect(Set(surely).isSubset(of: lines), "\(context): \(rig.lines(session))")
    }

    private let allOfOne = (1...9).map { "a\($0)" }
    private let allOfTwo = (1...3).map { "b\($0)" }
    private let lateOfOne = (4...9).map { "a\($0)" }

    @Test("with any one byte of the last file changed: no event twice, no number twice, nothing new is lost", arguments: 0...2)
    func flips(sent: Int) throws {
        let before = try past(sent: sent)
        let file = try #require(before.disk.fileNames.last)
        let whole = before.disk[file]
        for position in whole.indices {
            for mask: UInt8 in [0x01, 0x80, 0xFF] {
                var rig = try past(sent: sent)
                let told = rig.relay
                var damaged = whole
                damaged[position] ^= mask
                rig.disk[file] = damaged
                try goOn(&rig)
                let context = "sent \(sent), byte \(position) of \(file)"
                check(rig, one, of: allOfOne, surely: lateOfOne + told.logs[one]!.lines, context)
                check(rig, two, of: allOfTwo, surely: ["b3"] + told.logs[two]!.lines, context)
                // One byte belongs to one record: at most one event is lost.
                let lost = allOfOne.count + allOfTwo.count - (rig.lines(one) + rig.lines(two)).count { !$0.hasPrefix("-") }
                #expect(lost <= (position < 8 ? 2 : 1), "\(context): \(rig.lines(one)) \(rig.lines(two))")
            }
        }
    }

    @Test("with the last file cut at any byte: nothing before it is lost, no event twice, no number twice", arguments: 0...2)
    func cuts(sent: Int) throws {
        let before = try past(sent: sent)
        let file = try #require(before.disk.fileNames.last)
        let whole = before.disk[file]
        for count in whole.indices {
            var rig = try past(sent: sent)
            let told = rig.relay
            rig.disk[file] = Array(whole[..<count])
            // Exactly what stands before the cut is found again.
            var expected: Set<Int64> = []
            var start = 8
            while let (record, end) = SpoolRecord.read(whole, at: start) {
                if end <= count, case .event(two, let seq, _, _) = record { expected.insert(seq) }
                start = end
            }
            try rig.restart()
            let found = Set(rig.spool.index.sessions[two]?.entries.map(\.seq) ?? [])
            #expect(count < 8 || found.isSuperset(of: expected))
            try goOn(&rig)
            check(rig, one, of: allOfOne, surely: lateOfOne + told.logs[one]!.lines, "cut at \(count)")
            check(rig, two, of: allOfTwo, surely: ["b3"] + told.logs[two]!.lines, "cut at \(count)")
        }
    }

    @Test("with any file missing, or all: nothing that was told comes twice, nothing new is lost", arguments: 0...2)
    func missing(sent: Int) throws {
        for file in try past(sent: sent).disk.fileNames + [nil] {
            var rig = try past(sent: sent)
            let told = rig.relay
            for name in rig.disk.fileNames where file == nil || name == file { try rig.disk.remove(name) }
            try goOn(&rig)
            check(rig, one, of: allOfOne, surely: lateOfOne + told.logs[one]!.lines, "without \(file ?? "all")")
            check(rig, two, of: allOfTwo, surely: ["b3"] + told.logs[two]!.lines, "without \(file ?? "all")")
        }
    }

    @Test("with an old copy of everything, nothing that was told comes twice, nothing new is lost")
    func oldCopy() throws {
        var rig = try past(sent: 2)
        let copy = rig.disk.copy()
        try rig.exchange()
        try rig.spool.append(one, "x1", "x2", "x3")
        try rig.exchange()
        var old = try HostRig(copy)
        old.relay = rig.relay
        let told = rig.lines(one)
        try goOn(&old)
        #expect(old.lines(one) == told + lateOfOne)
    }

    @Test("an event of a session that a fuller relay knows is not sent before it was asked")
    func forgotten() throws {
        var rig = try HostRig()
        rig.relay.logs[one] = ModelRelay.Log(through: 2, lines: ["x1", "x2"])
        try rig.exchange()
        try rig.spool.append(one, "a1", "a2", "a3")
        try rig.exchange()
        #expect(rig.lines(one) == ["x1", "x2", "a1", "a2", "a3"])
    }

    @Test("numbering anew keeps the gaps, and their count")
    func gaps() throws {
        var rig = try HostRig()
        rig.relay.logs[one] = ModelRelay.Log(through: 40, lines: ["x"])
        try rig.spool.append(one, "a1", "a2", "a3", "a4", "a5", "a6")
        for seq in [2, 3, 5] as [Int64] { rig.spool.drop(one, seq: seq) }
        try rig.exchange()
        #expect(rig.lines(one) == ["x", "a1", "-2", "a4", "-1", "a6"])
    }

    @Test(
        "records with numbers that no event has are damage, however right their sums are",
        arguments: [
            SpoolRecord.event(one, seq: .max, isKept: false, bytes: []), .event(one, seq: -1, isKept: false, bytes: []),
            .session(one, next: .min, acknowledged: 0, provisionalFrom: nil),
            .session(one, next: 2, acknowledged: .max, provisionalFrom: 1), .agreed(one, from: 1, through: .max, next: .max),
        ])
    func impossibleNumbers(record: SpoolRecord) throws {
        var rig = try HostRig()
        try rig.spool.append(one, "a1")
        let file = try #require(rig.disk.fileNames.last)
        rig.disk[file] += try record.framed()
        try rig.restart()
        try rig.spool.append(one, "a2")
        try rig.exchange()
        #expect(rig.lines(one) == ["a1", "a2"])
    }

    @Test("an event that reads otherwise than it was written is not sent")
    func readBack() throws {
        let rig = try HostRig()
        try rig.spool.append(one, "a1", "a2")
        let file = try #require(rig.disk.fileNames.last)
        rig.disk[file][rig.disk[file].count - 1] ^= 1
        let batch = try #require(rig.spool.index.batch(one, after: 0, countMax: 9, bytesMax: 999))
        #expect { try rig.spool.read(batch) } throws: { ($0 as? SpoolError)?.code == .damaged }
    }
}
