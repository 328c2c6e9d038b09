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
