import RelayModel
import Testing

@testable import RelayCluster

@Suite("Whose the bytes are that wait on a link")
struct LinkSharesTests {
    private typealias Changes = LinkShares.Changes
    private let max = NodeLinkLimits.shareBytesMax

    @Test("whoever has more waiting than may is told once, and again when little of it is left")
    func fillsAndDrains() {
        var shares = LinkShares()
        shares.tell(max, of: 1)
        #expect(shares.settle(shares.told, waiting: max) == Changes(), "as much as may")
        shares.tell(1, of: 1)
        #expect(shares.settle(shares.told, waiting: max + 1) == Changes(filled: [1]))
        shares.tell(100, of: 1)
        #expect(shares.settle(shares.told, waiting: max + 101) == Changes(), "that is known")
        #expect(shares.settle(shares.told, waiting: NodeLinkLimits.shareDrainedBytes + 1) == Changes())
        #expect(shares.settle(shares.told, waiting: NodeLinkLimits.shareDrainedBytes) == Changes(drained: [1]))
        shares.tell(max, of: 1)
        #expect(shares.settle(shares.told, waiting: max + NodeLinkLimits.shareDrainedBytes) == Changes(filled: [1]))
        #expect(shares.settle(shares.told, waiting: 0) == Changes(drained: [1]))
        #expect(shares.unsettled == 0)
    }

    @Test("what one says does not count for another, however they take turns")
    func apart() {
        var shares = LinkShares()
        var waiting = 0
        var changes: [Changes] = []
        // The quiet peer sends a tenth of the other; meanwhile a quarter of the total is written.
        for turn in 0..<200 {
            for (peer, bytes) in [(UInt64(1), 20_000), (2, 2_000)] {
                shares.tell(bytes, of: peer)
                waiting += bytes
            }
            shares.tell(500, of: nil)
            waiting += 500 - 5_000
            let found = shares.settle(shares.told, waiting: waiting)
            if found != Changes() { changes.append(found) }
            #expect(changes.isEmpty || turn > 60)
        }
        #expect(changes == [Changes(filled: [1])])
        #expect(shares.settle(shares.told, waiting: 0) == Changes(drained: [1]))
    }

    @Test("a link that keeps up fills nobody's share, however much goes over it")
    func keepsUp() {
        var shares = LinkShares()
        for _ in 0..<1_000 {
            shares.tell(100_000, of: 1)
            #expect(shares.settle(shares.told, waiting: 100_000) == Changes())
        }
    }

    @Test("a word that comes late counts for what was told before it was asked for")
    func late() {
        var shares = LinkShares()
        shares.tell(max + 1, of: 1)
        let asked = shares.told
        shares.tell(max + 1, of: 2)
        #expect(shares.settle(asked, waiting: 0) == Changes(filled: [2]), "what came since may wait")
        #expect(shares.unsettled == max + 1)
        #expect(shares.settle(asked, waiting: max) == Changes(), "an older word changes nothing")
        #expect(shares.settle(shares.told, waiting: 0) == Changes(drained: [2]))
    }

    @Test("a peer that floods an edge's link is read no further, and nobody else is held up by it")
    func fair() {
        var (machine, shares) = (EdgeMachine(), LinkShares())
        let (loud, quiet) = (PeerID(rawValue: 11), PeerID(rawValue: 12))
        let opening = PeerOpening(
            tokenDigest: Array(repeating: 7, count: 32), isHost: true, baseURL: "http://edge", peer: .local, counted: nil)
        _ = machine.handle(.linkOpened)
        for peer in [loud, quiet] { _ = machine.handle(.peerOpened(peer, opening)) }
        var waiting = 0
        var paused: [PeerID] = []
        var spoken: [PeerID: Int] = [:]
        // The owner reads nothing meanwhile; a paused peer sends nothing more.
        for _ in 0..<2_000 {
            for (peer, bytes) in [(loud, 50_000), (quiet, 100)] where !paused.contains(peer) {
                for order in machine.handle(.peerSaid(peer, Array(repeating: 0, count: bytes))) {
                    guard case .tell(let message) = order else { continue }
                    var writer = RecordWriter()
                    message.write(to: &writer)
                    shares.tell(writer.count, of: message.speaker.map { UInt64($0) })
                    waiting += writer.count
                    spoken[peer, default: 0] += bytes
                }
            }
            for number in shares.settle(shares.told, waiting: waiting).filled {
                for case .pauseReading(let peer) in machine.handle(.shareFilled(Int(number))) { paused.append(peer) }
            }
        }
        #expect(paused == [loud])
        #expect(spoken[quiet] == 2_000 * 100)
        #expect(waiting < NodeLinkLimits.congestedBytes / 4, "the link itself is far from being congested")
        #expect(shares.settle(shares.told, waiting: 0).drained == [0])
        #expect(machine.handle(.shareDrained(0)) == [.resumeReading(loud)])
    }

    @Test("a share that is full and a link that is congested hold a peer up each by itself")
    func both() {
        var machine = EdgeMachine()
        let peer = PeerID(rawValue: 11)
        let opening = PeerOpening(
            tokenDigest: Array(repeating: 7, count: 32), isHost: true, baseURL: "http://edge", peer: .local, counted: nil)
        _ = machine.handle(.linkOpened)
        _ = machine.handle(.peerOpened(peer, opening))
        #expect(machine.handle(.shareFilled(0)) == [.pauseReading(peer)])
        #expect(machine.handle(.linkCongested) == [])
        #expect(machine.handle(.shareDrained(0)) == [])
        #expect(machine.handle(.linkDrained) == [.resumeReading(peer)])
        #expect(machine.handle(.shareFilled(7)) == [])
        #expect(machine.handle(.shareDrained(0)) == [])
    }
}
