import RelayCluster
import RelayModel
import Testing
import WebSocketEngine

@testable import HeliographServer

@Suite("Congestion of peers and links") struct CongestionTests {
    private let own = ConnectionID(rawValue: 1)
    private let remote = ConnectionID(rawValue: RemotePeer.name(link: 7, generation: 0, number: 1).rawValue)
    private let other = ConnectionID(rawValue: RemotePeer.name(link: 7, generation: 0, number: 2).rawValue)

    @Test("whoever comes while a link does not keep up is held with the others")
    func newcomer() {
        var congestion = Congestion()
        #expect(congestion.began(link: 7, [remote]) == [remote])
        #expect(congestion.holds(other) && !congestion.holds(own))
        #expect(congestion.ended(link: 7, [remote, other]) == [remote, other])
        #expect(!congestion.holds(other))
    }

    @Test("a link that drains does not clear what is a peer's own, nor the other way round")
    func apart() {
        var congestion = Congestion()
        #expect(congestion.began(remote) == true)
        #expect(congestion.began(link: 7, [remote, other]) == [other])
        #expect(congestion.ended(remote) == false)
        #expect(congestion.holds(remote))
        #expect(congestion.began(remote) == false)
        #expect(congestion.ended(link: 7, [remote, other]) == [other])
        #expect(congestion.holds(remote))
        #expect(congestion.ended(remote) == true)
        #expect(!congestion.holds(remote))
    }

    @Test("what has gone is held no longer")
    func gone() {
        var congestion = Congestion()
        #expect(congestion.began(remote) == true)
        #expect(congestion.began(link: 7, []) == [])
        congestion.forget(remote)
        congestion.forget(link: 7)
        #expect(!congestion.holds(remote))
        #expect(congestion.ended(link: 7, [remote]) == [])
    }

    @Test("a peer's part of a link, and its connection, are two causes")
    func share() {
        var congestion = Congestion()
        #expect(congestion.began(remote, .share) == true)
        #expect(congestion.holds(remote) && !congestion.holds(other))
        #expect(congestion.began(remote) == false)
        #expect(congestion.began(link: 7, [remote, other]) == [other])
        #expect(congestion.ended(link: 7, [remote, other]) == [other])
        #expect(congestion.ended(remote, .share) == false)
        #expect(congestion.ended(remote, .share) == false, "once")
        #expect(congestion.ended(remote) == true)
        #expect(!congestion.holds(remote))
    }
}
