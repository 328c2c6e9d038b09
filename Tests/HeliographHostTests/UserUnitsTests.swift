import HeliographHook
import RelayAccess
import Testing

@testable import HeliographHost

@Suite("Services of the user's own systemd")
struct UserUnitsTests {
    @Test("have every variable that names a proxy, as the terminal has it")
    func proxies() {
        func variable(_ name: String) -> String? {
            name == "HOME" ? "/home/ada" : ProxySettings.names.contains(name) ? "http://\(name).example:1" : nil
        }
        let units = UserUnits(HostPaths(environment: variable), environment: variable)
        let text = units.text(BackgroundPart(.host, ["host"]), executable: "/usr/bin/heliograph", build: "1")
        #expect(!ProxySettings.names.isEmpty)
        for name in ProxySettings.names { #expect(text.contains("\(name)=http://\(name).example:1"), "\(name)") }
    }
}
