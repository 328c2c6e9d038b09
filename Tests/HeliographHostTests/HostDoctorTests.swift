import RelayAccess
import Testing

@testable import HeliographHost

@Suite("Host doctor") struct HostDoctorTests {
    @Test("what the daemon says of itself")
    func daemon() {
        func finding(_ text: String) -> Finding { HostDoctor.daemon(Array(text.utf8), proxies: .none) }
        let live = finding(#"{"link":{"state":"live","relay":"r"},"spool":{"events":0}}"#)
        #expect(live.state == .well && live.text == "it runs and is connected; nothing waits")
        let waiting = finding(#"{"link":{"state":"waiting","relay":"r"},"spool":{"events":3}}"#)
        #expect(
            waiting.state == .doubtful && waiting.text == "it runs and is not connected (waiting); 3 events wait to be sent")
        #expect(finding("").state == .doubtful && finding("{}").state == .doubtful)
    }

    @Test("the proxy that the daemon goes through is named, and one that only this terminal knows is the mend")
    func proxy() {
        let proxies = ProxySettings(["HTTPS_PROXY": "http://ada:secret@p:1"])
        func finding(_ link: String) -> Finding {
            HostDoctor.daemon(
                Array(#"{"link":{"relay":"https://r.example",\#(link)},"spool":{"events":0}}"#.utf8), proxies: proxies)
        }
        #expect(
            finding(#""state":"live","proxy":"http://p:1""#).text
                == "it runs and is connected through the proxy http://p:1; nothing waits")
        #expect(finding(#""state":"live""#).text == "it runs and is connected without a proxy; nothing waits")
        #expect(finding(#""state":"waiting","proxy":"http://p:1""#).mend?.contains("heliograph up") == false)
        #expect(finding(#""state":"waiting""#).mend?.contains("heliograph up") == true)
    }

    @Test("an agent that is neither installed nor connected is looked at only where none is connected")
    func shown() {
        let claude = (isConnected: false, isInstalled: false)
        #expect(HostDoctor.shown([claude, (isConnected: true, isInstalled: true)]) == [false, true])
        #expect(HostDoctor.shown([claude, (isConnected: false, isInstalled: true)]) == [true, true])
        #expect(HostDoctor.shown([claude, claude]) == [true, true])
        #expect(
            HostDoctor.shown([(isConnected: true, isInstalled: false), (isConnected: true, isInstalled: true)]) == [true, true])
    }
}
