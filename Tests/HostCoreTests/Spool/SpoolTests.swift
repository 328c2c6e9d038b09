import Foundation
import HeliographTestSupport
import RelayProtocol
import Testing

@testable import HostCore

@Suite("Spool")
struct SpoolTests {
    private let one = SessionID("one")!
    private let two = SessionID("two")!

    // MARK: Records

    static let records: [SpoolRecord] = [
        .event(SessionID("s")!, seq: 7, isKept: true, bytes: Array("{}".utf8)),
        .event(SessionID("s")!, seq: 1, isKept: false, bytes: []),
        .session(SessionID("s")!, next: 1 << 40, acknowledged: 3, provisionalFrom: 9),
        .session(SessionID("s")!, next: 1, acknowledged: 0, provisionalFrom: nil),
        .agreed(SessionID("s")!, from: 4, through: 5, next: 8), .note("k", Array("v".utf8)), .note("k", []), .note("k", nil),
    ]

    @Test("a record reads back as it was written", arguments: records)
    func record(_ record: SpoolRecord) throws {
        let bytes = [0xAA] + (try record.framed()) + [1, 2, 3]
        let read = try #require(SpoolRecord.read(bytes, at: 1))
        #expect(read.record == record && read.end == bytes.count - 3)
    }

    @Test("no part and no damaged copy of a record is taken for one", arguments: records)
    func damage(_ record: SpoolRecord) throws {
        let frame = try record.framed()
        for count in 0..<frame.count { #expect(SpoolRecord.read(Array(frame[..<count]), at: 0) == nil) }
        for position in frame.indices {
            for bit in 0..<8 {
                var damaged = frame
                damaged[position] ^= 1 << bit
                #expect(SpoolRecord.read(damaged, at: 0) == nil)
            }
        }
    }

    @Test("the checksum is the one that everybody has")
    func checksum() { #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926) }

    // MARK: Over restarts

    @Test("what was appended is there after a restart, in order, with its notes")
    func reopen() throws {
        let folder = SpoolFolder()
        var spool = try folder.open()
        try spool.append(one, "a", "b")
        try spool.append([
            .event(two, Array("c".utf8), isKept: false), .note("n", Array("v".utf8)), .note("gone", []), .note("gone", nil),
        ])
        for _ in 0..<3 {
            spool = try folder.open()
            #expect(try spool.pending(one) == ["1 a", "2 b"])
            #expect(try spool.pending(two) == ["1 c"])
            #expect(spool.index.notes == ["n": Array("v".utf8)])
        }
        try spool.append(one, "d")
        #expect(try spool.pending(one) == ["1 a", "2 b", "3 d"])
    }

    @Test("numbers go on after everything was acknowledged, and nothing is left on disk")
    func numbering() throws {
        let folder = SpoolFolder()
        var spool = try folder.open()
        try spool.append(one, "a", "b")
        spool.acknowledge(one, through: 0)
        spool.acknowledge(one, through: 2)
        spool = try folder.open()
        // Acknowledgements are not stored: the event is sent again, and the relay replies that it has it.
        #expect(try spool.pending(one) == ["1 a", "2 b"])
        spool.acknowledge(one, through: 2)
        spool = try folder.open()
        #expect(try spool.pending(one) == [])
        try spool.append(one, "c")
        #expect(try spool.pending(one) == ["3 c"])
        #expect(folder.files.count == 1)
    }

    @Test("a write that was torn at any byte loses nothing before it, and nothing after it")
    func torn() throws {
        let folder = SpoolFolder()
        try folder.open().append(one, "first", "second")
        let file = try #require(folder.files.first)
        let whole = try folder.bytes(file)
        let second = try SpoolRecord.event(one, seq: 2, isKept: false, bytes: Array("second".utf8)).framed().count
        let first = try SpoolRecord.event(one, seq: 1, isKept: false, bytes: Array("first".utf8)).framed().count
        for cut in 8...whole.count {
            let torn = SpoolFolder()
            _ = try torn.open()
            for name in torn.files { try FileManager.default.removeItem(atPath: torn.path + "/" + name) }
            try torn.write(Array(whole[..<cut]), to: file)
            var spool = try torn.open()
            let expected = cut == whole.count ? ["1 first", "2 second"] : cut >= whole.count - second ? ["1 first"] : []
            #expect(try spool.pending(one) == expected, "cut at \(cut) of \(whole.count), first is \(first)")
            try spool.append(one, "third")
            spool = try torn.open()
            #expect(try spool.pending(one) == expected + ["\(expected.count + 1) third"])
        }
    }

    @Test("a file that is not ours is left alone, and one that is empty as well")
    func strange() throws {
        let folder = SpoolFolder()
        _ = try folder.open()
        try folder.write(Array("hello".utf8), to: "0000000000000009.spool")
        try folder.write([], to: "000000000000000a.spool")
        try folder.write([1], to: "notes.txt")
        let spool = try folder.open()
        try spool.append(one, "a")
        #expect(try folder.open().pending(one) == ["1 a"])
        #expect(try folder.bytes("notes.txt") == [1])
    }

    // MARK: Bounds

    private var small: SpoolLimits {
        var limits = SpoolLimits()
        limits.segmentBytesMax = 1_000
        limits.bytesMax = 5_000
        return limits
    }

    @Test("files that are acknowledged are deleted")
    func segments() throws {
        let folder = SpoolFolder()
        let spool = try folder.open(small)
        for number in 1...30 { try spool.append(one, "event \(number) " + String(repeating: "x", count: 80)) }
        #expect(folder.files.count > 2)
        spool.acknowledge(one, through: 0)
        spool.acknowledge(one, through: 30)
        #expect(folder.files.count == 1)
    }

    @Test("a full spool drops the oldest that nobody decides about, leaves a gap, and keeps every approval")
    func full() throws {
        let folder = SpoolFolder()
        var spool = try folder.open(small)
        for number in 1...200 {
            let isKept = number % 20 == 1
            try spool.append(one, "\(number) " + String(repeating: "x", count: 80), isKept: isKept)
            #expect(spool.index.bytes <= small.bytesMax + 200)
        }
        #expect(spool.droppedCount > 100)
        for _ in 0..<2 {
            let numbers = try spool.pending(one).map { $0.split(separator: " ")[0] }
            let kept = (1...200).filter { $0 % 20 == 1 }
            for number in kept { #expect(numbers.contains { $0 == "\(number)" || $0 == "\(number)!" }) }
            #expect(numbers.last == "200" && numbers.contains { $0.hasSuffix("!") })
            #expect(spool.index.nextSeq(of: one) == 201)
            spool = try folder.open(small)
        }
    }

    @Test("a full spool keeps how each session stands: the newest status, list of tasks, offer and sum of each run")
    func states() throws {
        func events(_ number: Int) -> [String] {
            [
                #""status.changed","at":\#(number),"head":{"status":"idle"}"#, #""todo.changed","at":\#(number),"head":{}"#,
                #""steering.offered","at":\#(number),"head":{}"#,
                #""usage","at":\#(number),"head":{"run":"r1","costMicroUSD":\#(number)}"#,
                #""usage","at":\#(number),"head":{"run":"r2","costMicroUSD":\#(number)}"#,
            ]
            .map { #"{"kind":\#($0)}"# }
        }
        let folder = SpoolFolder()
        var spool = try folder.open(small)
        for number in 1...20 { for event in events(number) { try spool.append(two, event) } }
        for number in 1...200 { try spool.append(one, "\(number) " + String(repeating: "x", count: 80)) }
        let dropped = spool.droppedCount
        for _ in 0..<2 {
            let left = try spool.pending(two)
            #expect(left.count == 5 && zip(left, events(20)).allSatisfy { $0.hasSuffix($1) })
            spool = try folder.open(small)
        }
        #expect(dropped > 100)
        // A newer one takes its place.
        for event in events(21) { try spool.append(two, event) }
        for number in 1...200 { try spool.append(one, "\(number) " + String(repeating: "x", count: 80)) }
        #expect(try spool.pending(two).allSatisfy { $0.contains("\"at\":21,") })
    }

    @Test("sessions of long ago are forgotten, but not those that are needed or wait")
    func forgetting() throws {
        let folder = SpoolFolder()
        var limits = small
        limits.sessionsMax = 2
        let spool = try folder.open(limits)
        for number in 0..<10 {
            let session = SessionID("s\(number)")!
            let event = Array(String(repeating: "x", count: 300).utf8)
            try spool.append([.event(session, event, isKept: false), .note(session.rawValue, [1])]) { $0.rawValue == "s0" }
            spool.acknowledge(session, through: 0)
            if number != 1 { spool.acknowledge(session, through: 1) }
        }
        #expect(spool.index.sessions["s0".id] != nil && spool.index.sessions["s1".id] != nil)
        #expect(spool.index.sessions.count < 8 && spool.index.notes.count == spool.index.sessions.count)
    }

    @Test("what is longer than a record is refused, and the spool goes on")
    func tooLong() throws {
        let folder = SpoolFolder()
        var spool = try folder.open()
        let long = [UInt8](repeating: 1, count: SpoolRecord.payloadBytesMax)
        #expect { try spool.append([.note("n", long)]) } throws: { ($0 as? SpoolError)?.code == .tooLong }
        try spool.append(one, "a")
        spool = try folder.open()
        #expect(try spool.pending(one) == ["1 a"] && spool.index.notes.isEmpty)
    }

    @Test("a full spool with nothing to drop is not begun anew at each event")
    func fullOfKept() throws {
        let folder = SpoolFolder()
        let spool = try folder.open(small)
        for _ in 1...200 { try spool.append(one, String(repeating: "k", count: 80), isKept: true) }
        #expect(spool.index.bytes > small.bytesMax && spool.rotationCount == 0)
        for _ in 1...200 { try spool.append(one, String(repeating: "x", count: 80)) }
        #expect(spool.rotationCount < 100 && spool.droppedCount > 150)
        #expect(try spool.pending(one).filter { $0.contains("kkk") }.count == 200)
    }

    @Test("what was kept for a decision goes once it is settled")
    func released() throws {
        let folder = SpoolFolder()
        let spool = try folder.open(small)
        for _ in 1...100 {
            let seq = try spool.append([.event(one, [UInt8](repeating: 107, count: 80), isKept: true)])[0]
            spool.release(one, seq: seq)
        }
        #expect(spool.index.bytes <= small.bytesMax + small.segmentBytesMax && spool.droppedCount > 20)
    }

    // MARK: The relay knows more

    @Test("a spool that was lost numbers anew behind what the relay has")
    func lostState() throws {
        let folder = SpoolFolder()
        var spool = try folder.open()
        try spool.append(one, "a", "b", "c")
        spool.acknowledge(one, through: 57)
        for _ in 0..<2 {
            #expect(try spool.pending(one) == ["58 a", "59 b", "60 c"])
            spool = try folder.open()
        }
        try spool.append(one, "d")
        #expect(try spool.pending(one).last == "61 d")
    }

    // MARK: Any order of anything

    @Test(
        "appending, acknowledging, dropping and restarting in any order keeps every event once and in order", arguments: 1...40)
    func model(_ seed: UInt64) throws {
        var random = SeededDice(seed: seed)
        let folder = SpoolFolder()
        var limits = small
        limits.bytesMax = 1 << 20
        limits.segmentBytesMax = 600
        var spool = try folder.open(limits)
        var model: [SessionID: [(seq: Int64, text: String)]] = [one: [], two: []]
        var next: [SessionID: Int64] = [one: 1, two: 1]
        var acknowledged: [SessionID: Int64] = [one: 0, two: 0]
        for session in [one, two] {
            try spool.append(session, "first")
            spool.acknowledge(session, through: 0)
            model[session] = [(1, "first")]
            next[session] = 2
        }
        for step in 0..<120 {
            let session = random.next() & 1 == 0 ? one : two
            switch random.next() % 10 {
            case 0...5:
                let text = "\(session) \(step) " + String(repeating: "y", count: Int(random.next() % 120))
                try spool.append(session, text)
                model[session]?.append((next[session]!, text))
                next[session]! += 1
            case 6, 7:
                let through = acknowledged[session]! + Int64(random.next() % 4)
                guard through < next[session]! else { continue }
                spool.acknowledge(session, through: through)
                acknowledged[session] = through
            case 8:
                guard let entry = model[session]?.last, entry.seq > acknowledged[session]! else { continue }
                spool.drop(session, seq: entry.seq)
                model[session]?.removeLast()
                // It stays on disk until its file is removed: after a restart it may be back, and the relay would refuse it again.
                acknowledged[session] = max(acknowledged[session]!, entry.seq)
                spool.acknowledge(session, through: entry.seq)
            default:
                spool = try folder.open(limits)
                for (session, through) in acknowledged { spool.acknowledge(session, through: through) }
            }
            for session in [one, two] {
                let expected = model[session]!.filter { $0.seq > acknowledged[session]! }.map { "\($0.seq) \($0.text)" }
                let found = try spool.pending(session).map { $0.replacingOccurrences(of: "! ", with: " ") }
                #expect(found == expected, "seed \(seed), step \(step)")
                #expect(spool.index.nextSeq(of: session) == next[session]!)
            }
        }
    }
}

extension String {
    fileprivate var id: SessionID { SessionID(self)! }
}
