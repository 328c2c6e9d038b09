import Testing
import WebSocketEngine

@testable import HeliographServer

@Suite struct FairSharesTests {
    private static let turn = FairShares.turnNanosecondsMax
    private static let batch = FairShares.batchCostMax
    private static let beside = FairShares.besideCostMax

    @Test func `who has used up a turn rests, for longer where one message took more than a turn`() {
        var shares = FairShares()
        var busy = FairShares.Account()
        #expect(shares.worked(Self.turn / 2, for: &busy) == nil)
        #expect(shares.worked(Self.turn / 2, for: &busy) == 0)
        #expect(shares.worked(Self.turn / 2, for: &busy) == nil)
        #expect(shares.worked(20 * Self.turn, for: &busy) == 19 * Self.turn + Self.turn / 2)
        #expect(shares.worked(.max / 2, for: &busy) == FairShares.restNanosecondsMax)
    }

    @Test func `a turn counts by itself, and each peer for itself`() {
        var shares = FairShares()
        var (one, other) = (FairShares.Account(), FairShares.Account())
        for _ in 0..<100 {
            #expect(shares.worked(Self.turn - 1, for: &one) == nil)
            shares.turnEnded()
        }
        #expect(shares.worked(1, for: &one) == nil)
        #expect(shares.worked(Self.turn, for: &other) == 0)
        #expect(shares.worked(1, for: &one) == nil)
    }

    /// Simulates one turn of a loop with a queue for each connection, served in order. Returns how long the last one waits.
    private func wait(behind speakers: [Speaker], connectionsOfEach count: UInt64, message: Int64) -> Int64 {
        var (shares, waited, resting) = (FairShares(), Int64(0), Set<ConnectionID>())
        for (number, speaker) in speakers.enumerated() {
            for place in 0..<count { speaker.came(ConnectionID(rawValue: UInt64(number) * count + place)) }
        }
        for speaker in speakers {
            for connection in speaker.connections.sorted(by: { $0.rawValue < $1.rawValue }) {
                while !resting.contains(connection) {
                    waited += message
                    if speaker.worked(message, &shares) != nil { resting.formUnion(speaker.connections) }
                }
            }
        }
        return waited
    }

    @Test func `a token has one share of a turn, however many connections it has`() {
        let message: Int64 = 100_000
        #expect(wait(behind: [Speaker("busy")], connectionsOfEach: 1, message: message) == Self.turn)
        #expect(wait(behind: [Speaker("busy")], connectionsOfEach: 250, message: message) == Self.turn, "not 250 of them")
        let three = ["a", "b", "c"].map(Speaker.init)
        #expect(wait(behind: three, connectionsOfEach: 250, message: message) == 3 * Self.turn)
    }

    /// Its connections were read before it had used its share, so that each still counts.
    @Test func `a token that has used its share of a batch has each connection held once, and again when it goes on`() {
        var (shares, held) = (FairShares(), [ConnectionID: Int]())
        let speaker = Speaker("busy")
        let connections = (0..<250).map { ConnectionID(rawValue: $0) }
        connections.forEach(speaker.came)
        for batch in 1...3 {
            for connection in connections {
                for one in speaker.staged(Self.batch, by: connection, &shares) ?? [] { held[one, default: 0] += 1 }
            }
            // All are held by the first, and the others once more by their own input.
            #expect(held.count == 250 && held.values.reduce(0, +) == batch * (250 + 249))
            shares.batchCut()
        }
        let late = ConnectionID(rawValue: 250)
        speaker.came(late)
        #expect(speaker.staged(Self.batch, by: connections[0], &shares)?.contains(late) == true)
    }

    @Test func `a speaker is over with its last connection`() {
        let speaker = Speaker("busy")
        let connections = (1...2).map { ConnectionID(rawValue: $0) }
        connections.forEach(speaker.came)
        #expect(speaker.left(connections[0]) && !speaker.left(connections[1]))
    }

    @Test func `a peer alone fills the batch, and goes on with the next`() {
        var shares = FairShares()
        var busy = FairShares.Account()
        for _ in 0..<10 {
            #expect(!shares.staged(Self.batch - 1, by: &busy))
            #expect(shares.staged(1, by: &busy))
            shares.batchCut()
        }
    }

    @Test func `who has put little into a full batch goes on, who has put more into it waits`() {
        var shares = FairShares()
        var (busy, busier, calm) = (FairShares.Account(), FairShares.Account(), FairShares.Account())
        #expect(!shares.staged(100, by: &calm))
        #expect(shares.staged(Self.batch / 2, by: &busy))
        #expect(shares.staged(Self.batch / 2, by: &busier))
        #expect(shares.staged(1, by: &busy))
        for _ in 0..<100 { #expect(!shares.staged(100, by: &calm)) }
        #expect(!shares.staged(0, by: &busy))
    }

    @Test func `beside others a peer has a small share, also of batches without them, until it has been alone for long`() {
        var shares = FairShares()
        var (busy, calm) = (FairShares.Account(), FairShares.Account())
        #expect(!shares.staged(Self.beside, by: &busy), "alone")
        shares.batchCut()
        #expect(!shares.staged(1, by: &calm))
        #expect(!shares.staged(Self.beside - 1, by: &busy))
        #expect(shares.staged(1, by: &busy))
        for _ in 1..<FairShares.besideBatches {
            shares.batchCut()
            #expect(!shares.staged(Self.beside - 1, by: &busy))
            #expect(shares.staged(1, by: &busy))
        }
        shares.batchCut()
        #expect(!shares.staged(Self.batch - 1, by: &busy), "alone again")
    }

    @Test func `peers that take turns are beside each other, and turns in which nobody contributes count for nothing`() {
        var shares = FairShares()
        var (busy, calm) = (FairShares.Account(), FairShares.Account())
        for _ in 0..<3 {
            #expect(!shares.staged(Self.beside, by: &busy))
            for _ in 0..<3 { shares.batchCut() }
        }
        #expect(!shares.staged(1, by: &calm))
        shares.batchCut()
        #expect(shares.staged(Self.beside, by: &busy))
    }

    /// However many there are, and also where each comes when the one before has had its part.
    @Test(arguments: [(1, 1), (2, 2), (7, 3), (100, 6)]) func `many who are busy bound the batch together`(
        _ count: Int, _ times: Int
    ) {
        var shares = FairShares()
        var accounts = (0..<count).map { _ in FairShares.Account() }
        let message = 1_000
        for _ in 0..<3 {
            var staged = 0
            for number in accounts.indices {
                repeat { staged += message } while !shares.staged(message, by: &accounts[number])
            }
            #expect(staged <= times * Self.batch + count * message)
            shares.batchCut()
        }
    }
}
