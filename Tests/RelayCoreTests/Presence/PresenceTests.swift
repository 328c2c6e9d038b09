import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("Who is connected")
struct PresenceTests {
    typealias P = PartTranscript
    private let hello = Hello(software: "test", capabilities: [.steer])
    private let laptop = HostKey(workspace: P.home, host: HostID("laptop")!)

    @Test("the newer connection speaks for a host, and the older is closed")
    func newer() throws {
        var presence = Presence()
        var orders = Orders()
        presence.hostConnected(P.peer(1), P.host())
        #expect(!presence.takes(.steer, laptop), "nobody speaks for it before hello")
        #expect(presence.hostSaidHello(hello, P.peer(1), &orders)?.isFirst == true)
        #expect(presence.takes(.steer, laptop))
        presence.hostConnected(P.peer(2), P.host())
        #expect(presence.hostSaidHello(hello, P.peer(2), &orders)?.isFirst == true)
        #expect(try orders.said() == ["close 1 replaced"])
        #expect(presence.speakers == [laptop: P.peer(2)])
        #expect(presence.hostLeft(P.peer(1)) == nil, "another speaks for it")
        #expect(presence.hostLeft(P.peer(2))?.key == laptop)
        #expect(presence.speakers.isEmpty && !presence.takes(.steer, laptop))
    }

    @Test("an older connection whose hello comes after a newer one's is closed")
    func outOfOrder() throws {
        var presence = Presence()
        var orders = Orders()
        presence.hostConnected(P.peer(1), P.host())
        presence.hostConnected(P.peer(2), P.host())
        #expect(presence.hostSaidHello(hello, P.peer(2), &orders) != nil)
        #expect(presence.hostSaidHello(hello, P.peer(1), &orders) == nil)
        #expect(try orders.said() == ["close 1 replaced"])
        #expect(presence.hostSaidHello(hello, P.peer(2), &orders)?.isFirst == false)
        #expect(presence.speakers == [laptop: P.peer(2)])
    }

    @Test("the attempt says which connection is newer, whichever came first")
    func attempts() throws {
        var presence = Presence()
        var orders = Orders()
        var (first, second) = (hello, hello)
        (first.attempt, second.attempt) = (10, 11)
        presence.hostConnected(P.peer(1), P.host())
        presence.hostConnected(P.peer(2), P.host())
        // Over two nodes: the newer connection arrived first.
        #expect(presence.hostSaidHello(second, P.peer(1), &orders)?.isFirst == true)
        #expect(presence.hostSaidHello(first, P.peer(2), &orders) == nil)
        #expect(try orders.said() == ["close 2 restarting"], "the older one is not told to stay away")
        #expect(presence.speakers == [laptop: P.peer(1)])
        // A repeated hello on the same connection changes nothing.
        #expect(presence.hostSaidHello(second, P.peer(1), &orders)?.isFirst == false)
        var third = hello
        third.attempt = 12
        presence.hostConnected(P.peer(3), P.host())
        #expect(presence.hostSaidHello(third, P.peer(3), &orders)?.isFirst == true)
        #expect(try orders.said() == ["close 1 replaced"])
    }

    @Test("without an attempt nobody who came by two nodes is told to stay away")
    func twoNodes() throws {
        var presence = Presence()
        var orders = Orders()
        let (here, there) = (P.peer(1), PeerID(rawValue: PeerID.firstRemote.rawValue + 7))
        presence.hostConnected(here, P.host())
        presence.hostConnected(there, P.host())
        #expect(presence.hostSaidHello(hello, there, &orders)?.isFirst == true)
        #expect(presence.hostSaidHello(hello, here, &orders) == nil)
        presence.hostConnected(P.peer(2), P.host())
        #expect(presence.hostSaidHello(hello, P.peer(2), &orders)?.isFirst == true)
        #expect(try orders.said() == ["close 1 restarting", "close \(there.rawValue) restarting"])
        #expect(presence.speakers == [laptop: P.peer(2)])
    }

    @Test("a host of another version is told so and closed")
    func version() throws {
        var presence = Presence()
        var orders = Orders()
        var other = hello
        other.version = 9
        presence.hostConnected(P.peer(1), P.host())
        #expect(presence.hostSaidHello(other, P.peer(1), &orders) == nil)
        #expect(try orders.said() == ["1: notice unsupportedVersion", "close 1 unsupportedVersion"])
        #expect(presence.speakers.isEmpty)
    }
}
