import ChannelWeb
import PushPlanner
import RelayProtocol
import Testing

@Suite("The browsers' channel")
struct WebChannelTests {
    @Test("there is one app, and it has no cards")
    func app() {
        let channel = WebChannel(pageURL: "https://relay.example")
        #expect(channel.app(named: "web")?.cards == nil && channel.app(named: "web") != nil)
        #expect(channel.app(named: "heliograph") == nil)
    }
}
