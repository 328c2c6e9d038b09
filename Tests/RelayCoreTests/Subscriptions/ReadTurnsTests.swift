import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("Turns of reads")
struct ReadTurnsTests {
    typealias P = PartTranscript

    private static func client(_ name: String) -> ClientKey { ClientKey(workspace: P.home, client: ClientID(name)!) }

    /// Ends each read as soon as another begins. Returns all of them in the order in which they began.
    private func order(_ turns: inout ReadTurns) -> [UInt64] {
        var begun: [UInt64] = []
        while let read = turns.next() {
            begun.append(read.rawValue)
            turns.ended(read)
        }
        return begun
    }

    @Test("whoever asks for hundreds of pages delays another's first page by no more than what is under way")
    func fair() {
        var turns = ReadTurns()
        for number in 1...300 as ClosedRange<UInt64> { turns.add(ReadID(rawValue: number), of: Self.client("busy")) }
        let underWay = (0..<Limits.readsAtOnceMax).compactMap { _ in turns.next() }
        #expect(underWay.map(\.rawValue) == [1, 2] && turns.next() == nil)
        for number in 301...303 as ClosedRange<UInt64> { turns.add(ReadID(rawValue: number), of: Self.client("calm")) }
        for number in 304...305 as ClosedRange<UInt64> { turns.add(ReadID(rawValue: number), of: Self.client("other")) }
        for read in underWay { turns.ended(read) }
        #expect(order(&turns).prefix(9) == [3, 301, 304, 4, 302, 305, 5, 303, 6])
        #expect(turns.waitingCount == 0 && turns.underWay.isEmpty)
    }

    @Test("a read that two wait for is begun in the turn that comes first, once")
    func shared() {
        var turns = ReadTurns()
        for number in 1...3 as ClosedRange<UInt64> { turns.add(ReadID(rawValue: number), of: Self.client("busy")) }
        turns.add(ReadID(rawValue: 3), of: Self.client("calm"))
        #expect(order(&turns) == [1, 3, 2])
    }

    @Test("what a client asked for that has left is not begun")
    func left() {
        var turns = ReadTurns()
        for number in 1...3 as ClosedRange<UInt64> { turns.add(ReadID(rawValue: number), of: Self.client("gone")) }
        turns.add(ReadID(rawValue: 4), of: Self.client("calm"))
        turns.forget([ReadID(rawValue: 1), ReadID(rawValue: 2), ReadID(rawValue: 3)])
        #expect(turns.waitingCount == 1)
        #expect(order(&turns) == [4])
    }

    @Test("what is forgotten leaves the queues when it is the most of them, and others keep their turns")
    func forgotten() {
        var turns = ReadTurns()
        let all = (1...400 as ClosedRange<UInt64>).map(ReadID.init)
        for read in all { turns.add(read, of: Self.client("busy")) }
        for number in 501...502 as ClosedRange<UInt64> { turns.add(ReadID(rawValue: number), of: Self.client("calm")) }
        // As connections end, each with what it waited for.
        for first in stride(from: 0, to: 380, by: 20) {
            turns.forget(Set(all[first..<first + 20]))
            #expect(turns.waitingCount == 402 - first - 20)
            #expect(turns.queuedCount <= 2 * turns.waitingCount)
        }
        #expect(order(&turns) == [381, 501, 382, 502] + (383...400))
        #expect(turns.queuedCount == 0)
    }
}
