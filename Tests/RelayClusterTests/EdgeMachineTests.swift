import RelayModel
import Testing

@testable import RelayCluster

@Suite("What an edge does")
struct EdgeMachineTests {
    private func peer(_ number: UInt64) -> PeerID { PeerID(rawValue: number) }
    private func opening(isHost: Bool = false) -> PeerOpening {
        PeerOpening(
            tokenDigest: Array(repeating: 7, count: 32), isHost: isHost, baseURL: "http://edge", peer: .ip("192.0.2.1"),
            counted: nil)
    }
    private func call(_ number: UInt64) -> EdgeMachine.CallID { EdgeMachine.CallID(rawValue: number) }
    private let request = HTTPCall(
        method: "GET", path: "/v1/me", query: nil, headers: [], body: [], peer: .local, isNamedByProxy: false, isTLS: false)

    private func linked() -> EdgeMachine {
        var machine = EdgeMachine()
        _ = machine.handle(.linkOpened)
        return machine
    }

    @Test("nobody is served before there is a link, and whoever was let in goes and comes again")
    func away() {
        var machine = EdgeMachine()
        #expect(!machine.isServing)
        #expect(machine.handle(.peerOpened(peer(1), opening(isHost: true))) == [.dismiss(hosts: [peer(1)], clients: [])])
        #expect(machine.handle(.peerSaid(peer(1), [1])) == [])
        #expect(machine.handle(.called(call(1), request)) == [.fail(call(1), .noOwner)])
        #expect(machine.handle(.peerClosed(peer(1))) == [])
    }

    @Test("messages go both ways by the edge's numbers")
    func carries() {
        var machine = linked()
        #expect(machine.handle(.peerOpened(peer(11), opening())) == [.tell(.open(0, opening()))])
        #expect(machine.handle(.peerOpened(peer(12), opening(isHost: true))) == [.tell(.open(1, opening(isHost: true)))])
        #expect(machine.handle(.peerSaid(peer(12), [1, 2])) == [.tell(.text(1, [1, 2]))])
        #expect(machine.handle(.ownerSaid(.text([0, 1, 9], [3]))) == [.send([3], to: [peer(11), peer(12)])])
        #expect(machine.handle(.peerCongested(peer(11))) == [.tell(.congested(0))])
        #expect(machine.handle(.peerDrained(peer(11))) == [.tell(.drained(0))])
        #expect(
            machine.handle(.ownerSaid(.close(0, code: 4401, reason: "revoked"))) == [
                .close(peer(11), code: 4401, reason: "revoked")
            ])
    }

    @Test("a number is given again only when the owner has forgotten who had it")
    func numbers() {
        var machine = linked()
        _ = machine.handle(.peerOpened(peer(1), opening()))
        #expect(machine.handle(.peerClosed(peer(1))) == [.tell(.closed(0))])
        // The message was in flight when the peer left.
        #expect(machine.handle(.ownerSaid(.text([0], [1]))) == [])
        #expect(machine.handle(.peerOpened(peer(2), opening())) == [.tell(.open(1, opening()))])
        #expect(machine.handle(.ownerSaid(.forgotten(0))) == [])
        #expect(machine.handle(.ownerSaid(.forgotten(0))) == [], "once")
        #expect(machine.handle(.ownerSaid(.forgotten(1))) == [], "whoever is here is not forgotten")
        #expect(machine.handle(.peerOpened(peer(3), opening())) == [.tell(.open(0, opening()))])
        #expect(machine.handle(.ownerSaid(.text([0, 1], [2]))) == [.send([2], to: [peer(3), peer(2)])])
    }

    @Test("a peer is read again when nobody holds it up any more")
    func pauses() {
        var machine = linked()
        _ = machine.handle(.peerOpened(peer(1), opening()))
        _ = machine.handle(.peerOpened(peer(2), opening()))
        #expect(machine.handle(.ownerSaid(.pause(0))) == [.pauseReading(peer(1))])
        #expect(machine.handle(.linkCongested) == [.pauseReading(peer(2))], "the first is paused already")
        #expect(machine.handle(.peerSaid(peer(2), [2])) == [.tell(.text(1, [2]))], "it was read before")
        #expect(
            machine.handle(.peerOpened(peer(3), opening())) == [.tell(.open(2, opening())), .pauseReading(peer(3))])
        #expect(machine.handle(.called(call(1), request)) == [.fail(call(1), .tooMany)], "a body more would wait, too")
        #expect(machine.handle(.ownerSaid(.resume(0))) == [], "the link still holds it up")
        #expect(
            machine.handle(.linkDrained) == [.resumeReading(peer(1)), .resumeReading(peer(2)), .resumeReading(peer(3))])
    }

    @Test("a link that ends takes everybody along, hosts first, and says of requests that they may be done")
    func ends() {
        var machine = linked()
        _ = machine.handle(.peerOpened(peer(1), opening()))
        _ = machine.handle(.peerOpened(peer(2), opening(isHost: true)))
        #expect(machine.handle(.called(call(5), request)) == [.tell(.call(1, request))])
        #expect(
            machine.handle(.linkEnded) == [.dismiss(hosts: [peer(2)], clients: [peer(1)]), .fail(call(5), .linkEnded)])
        #expect(machine.handle(.peerSaid(peer(1), [1])) == [] && machine.handle(.peerClosed(peer(1))) == [])
        // Messages of the previous owner reach no peer of the next link.
        _ = machine.handle(.linkOpened)
        #expect(machine.handle(.peerOpened(peer(3), opening())) == [.tell(.open(0, opening()))])
        #expect(machine.handle(.ownerSaid(.answer(1, HTTPAnswer(status: 200, headers: [], body: [])))) == [])
    }

    @Test("an answer goes to who asked, once; more than so many do not wait")
    func calls() {
        var machine = linked()
        for number in 1...UInt64(NodeLinkLimits.callsMax) { _ = machine.handle(.called(call(number), request)) }
        #expect(machine.handle(.called(call(999), request)) == [.fail(call(999), .tooMany)])
        let answer = HTTPAnswer(status: 200, headers: [HTTPField("a", "b")], body: [1])
        #expect(machine.handle(.ownerSaid(.answer(7, answer))) == [.answer(call(7), answer)])
        #expect(machine.handle(.ownerSaid(.answer(7, answer))) == [])
        #expect(machine.handle(.called(call(1_000), request)).count == 1)
    }

    @Test("an answer that says that nothing was begun is none, and no header of it reaches a client")
    func notOwner() {
        var machine = linked()
        _ = machine.handle(.called(call(1), request))
        let answer = HTTPAnswer(status: 503, headers: [HTTPField("a", "b"), NodeLinkProtocol.notOwner], body: [1])
        #expect(machine.handle(.ownerSaid(.answer(1, answer))) == [.fail(call(1), .noOwner)])
        #expect(machine.handle(.linkEnded) == [], "it is under way no longer")
    }

    @Test("who has left serves nobody, whatever comes")
    func left() {
        var machine = linked()
        _ = machine.handle(.peerOpened(peer(1), opening()))
        #expect(machine.handle(.left) == [.dismiss(hosts: [], clients: [peer(1)])])
        #expect(machine.handle(.linkOpened) == [] && !machine.isServing)
        #expect(machine.handle(.linkEnded) == [])
    }
}
