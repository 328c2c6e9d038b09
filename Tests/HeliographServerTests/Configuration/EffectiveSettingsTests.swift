import Foundation
import Logging
import PushWeb
import RelayCore
import Testing
import WebSocketEngine

@testable import HeliographServer

@Suite("Settings") struct EffectiveSettingsTests {
    private func settings(
        flags: [String: String] = [:], environment: [String: String] = [:], file: String? = nil
    ) throws -> EffectiveSettings {
        let folder = try Folder()
        if let file { try Data(file.utf8).write(to: URL(filePath: "\(folder.path)/relay.json")) }
        return try EffectiveSettings(dataDirectory: folder.path, flags: flags, environment: environment)
    }

    private func fault(
        flags: [String: String] = [:], environment: [String: String] = [:], file: String? = nil
    ) throws -> String {
        let error = #expect(throws: ServerError.self) { try settings(flags: flags, environment: environment, file: file) }
        return try #require(error).description
    }

    @Test("a flag counts before a variable, a variable before the file, and each says where it stands")
    func order() throws {
        let effective = try settings(
            flags: ["keepDays": "1"], environment: ["HELIOGRAPH_KEEP_DAYS": "2", "HELIOGRAPH_HEARTBEAT": "3"],
            file: #"{"keepDays": 4, "heartbeat": 5, "logLevel": "debug"}"#)
        #expect(effective.configuration.retention.ageMax == 86_400_000)
        #expect(effective.configuration.liveness.hangUpAfter == .seconds(6))
        #expect(effective.configuration.logLevel == .debug)
        let sources = effective.entries.filter { $0.source != .standard }.map { "\($0.setting.key) \($0.text!) \($0.source)" }
        #expect(sources.prefix(2) == ["keepDays 1 --keep-days", "heartbeat 3 $HELIOGRAPH_HEARTBEAT"])
        #expect(sources.count == 3 && sources[2].hasPrefix("logLevel debug /") && sources[2].hasSuffix("/relay.json"))
        #expect(effective.entries.map(\.setting.key) == Settings.all.map(\.key))
    }

    @Test("push services are named with port and address, and whoever names the address lets it be private")
    func pushHosts() throws {
        let text = "push.example.org,push.lan:8443=192.168.1.5,push.lan=[fd00::1]"
        let configuration = try settings(flags: ["pushHosts": text]).configuration
        #expect(configuration.pushHosts.map(\.mayBePrivate) == [false, true, true])
        #expect(configuration.pushHosts.map(\.port) == [443, 8_443, 443])
        #expect(configuration.pushHosts.map(\.text).joined(separator: ",") == text)
        #expect(try settings(flags: ["pushHosts": "none"]).configuration.pushHosts.isEmpty)
        for bad in [
            "", "a b", "push.example:0", "push.example:x", "192.168.1.5", "push.example=push.lan", "a.example,,b.example",
            "push.example:+443", "push.lan=[192.168.1.5]", "push.lan=[fd00::1", "push.lan=fd00::1]", "push.lan=fd[00::]1",
            "push.lan=[[fd00::1]]", "push.lan=19[2.168.1].5",
        ] {
            #expect(try fault(flags: ["pushHosts": bad]).contains("pushHosts takes names of DNS"))
        }
    }

    @Test("servers of ntfy in the own network are named by their URLs")
    func ntfyServers() throws {
        let text = "http://192.168.1.5:8080,https://ntfy.lan=192.168.1.5"
        let configuration = try settings(flags: ["ntfyServers": text]).configuration
        #expect(configuration.ntfyServers.map(\.isPlain) == [true, false])
        #expect(configuration.ntfyServers.map(\.serverText).joined(separator: ",") == text)
        #expect(try settings(flags: ["ntfyServers": "none"]).configuration.ntfyServers.isEmpty)
        #expect(try fault(flags: ["ntfyServers": "http://a b"]).contains("ntfyServers takes servers such as"))
    }

    @Test("reminders are minutes in their order, or none")
    func pushReminders() throws {
        #expect(try settings().configuration.pushReminders == [60, 240])
        #expect(try settings(flags: ["pushReminders": "5,30,10080"]).configuration.pushReminders == [5, 30, 10_080])
        #expect(try settings(flags: ["pushReminders": "none"]).configuration.pushReminders.isEmpty)
        for bad in ["", "60,", "4", "10081", "1h", "60 240", "5,5,5,5,5,5,5,5,5"] {
            #expect(try fault(flags: ["pushReminders": bad]).contains("pushReminders takes up to 8 numbers of minutes"))
        }
    }

    @Test(
        "a contact that no push service can reach is refused with the reason",
        arguments: ["a@b", "mailto:a@localhost", "https://box.local"])
    func pushContact(_ text: String) throws {
        #expect(try fault(flags: ["pushContact": text]).contains("this one"))
    }

    @Test("nothing at all is what is standard, and opens nothing to the network")
    func standard() throws {
        let configuration = try settings().configuration
        #expect((configuration.host, configuration.port) == ("127.0.0.1", 8787))
        #expect(configuration.tls == nil && configuration.publicURL == nil)
        // An empty variable counts as unset.
        #expect(try settings(environment: ["HELIOGRAPH_LISTEN": ""]).entries.allSatisfy { $0.source == .standard })
    }

    @Test("every setting takes what it shows, and its names are its own", arguments: Settings.all.map(\.key))
    func roundTrip(_ key: String) throws {
        let setting = Settings.named(key)
        #expect(Settings.all.count { $0.flag == setting.flag || $0.variable == setting.variable || $0.key == key } == 1)
        guard let standard = setting.standard else { return }
        var configuration = ServerConfiguration(dataDirectory: "")
        try setting.apply(standard, &configuration)
        #expect(setting.text(configuration) == standard)
        #expect(throws: SettingValueError.self) { try setting.apply("\u{7}", &configuration) }
    }

    @Test(
        "words of a key become a flag and a variable",
        arguments: [
            ("publicURL", "--public-url", "HELIOGRAPH_PUBLIC_URL"), ("tlsKey", "--tls-key", "HELIOGRAPH_TLS_KEY"),
            ("listen", "--listen", "HELIOGRAPH_LISTEN"),
            ("limits.pendingPerAddress", "--limits-pending-per-address", "HELIOGRAPH_LIMITS_PENDING_PER_ADDRESS"),
        ])
    func names(_ key: String, _ flag: String, _ variable: String) {
        #expect(Settings.named(key).flag == flag && Settings.named(key).variable == variable)
    }

    @Test(
        "where to listen",
        arguments: [
            ("[::]:1", "::", 1), (":80", "0.0.0.0", 80), ("10.0.0.1:65535", "10.0.0.1", 65535),
        ])
    func listen(_ text: String, _ host: String, _ port: UInt16) throws {
        let configuration = try settings(flags: ["listen": text]).configuration
        #expect(configuration.host == host && configuration.port == port)
    }

    @Test("a value that is none names its place and says what is taken")
    func badValues() throws {
        #expect(
            try fault(flags: ["listen": "here"])
                == #"--listen: listen takes ADDRESS:PORT, such as 127.0.0.1:8787, not "here""#)
        #expect(
            try fault(environment: ["HELIOGRAPH_KEEP_DAYS": "-1"])
                == #"$HELIOGRAPH_KEEP_DAYS: keepDays takes a number from 0 to 36500, not "-1""#)
        // A peer takes no longer silence from a relay than an hour, and is hung up on after two heartbeats.
        #expect(
            try fault(flags: ["heartbeat": "1801"]) == #"--heartbeat: heartbeat takes a number from 1 to 1800, not "1801""#)
        #expect(try fault(file: #"{"heartbeat": 1801}"#).contains("heartbeat takes a number from 1 to 1800"))
        #expect(try settings(flags: ["heartbeat": "1800"]).configuration.liveness.hangUpAfter == .seconds(3600))
        #expect(try fault(file: #"{"logLevel": "loud"}"#).contains("relay.json: logLevel takes one of trace, debug"))
        #expect(try fault(file: #"{"heartbeat": [1]}"#).contains("relay.json, $.heartbeat: this must be a text, a number"))
        #expect(try fault(file: #"{"heartbeat": 1.5}"#).contains("relay.json, $.heartbeat:"))
        #expect(try fault(file: "{").contains("relay.json, byte 1:"))
        #expect(try fault(file: "[]").contains("relay.json, $: this must be an object"))
        #expect(try fault(flags: ["tlsKey": "a.key"]).hasPrefix("--tls-key: tlsCertificate (--tls-certificate) and tlsKey"))
        #expect(try fault(flags: ["publicURL": "relay.example"]).contains("begins with https://"))
        #expect(try fault(flags: ["publicURL": "https://relay.example/sub"]).contains("without a path"))
        #expect(try fault(file: #"{"publicURL": "https://relay.example/a/b/"}"#).contains("without a path"))
        #expect(try settings(flags: ["publicURL": "https://relay.example/"]).configuration.publicURL == "https://relay.example")
    }

    @Test("a node's address may be of IPv6 without brackets, as Kubernetes gives it")
    func advertised() {
        #expect(AdvertisedURL.read("http://10.1.2.3:8787") == "http://10.1.2.3:8787")
        #expect(AdvertisedURL.read("http://fd00:10:244::5:8787") == "http://[fd00:10:244::5]:8787")
        #expect(AdvertisedURL.read("http://[fd00:10:244::5]:8787") == "http://[fd00:10:244::5]:8787")
        #expect(AdvertisedURL.read("https://::1:8443") == "https://[::1]:8443")
        for text in ["http://fd00::5:8787/x", "http://fd00::5:", "http://a:b:c", "http://a:1:2", "fd00::5:8787", "http://::"] {
            #expect(AdvertisedURL.read(text) == nil, "\(text)")
        }
    }

    @Test("a relay that others reach without TLS is known as one")
    func openToOthers() throws {
        func isOpen(_ flags: [String: String]) throws -> Bool { try settings(flags: flags).configuration.isOpenToOthers }
        #expect(try !isOpen([:]))
        #expect(
            try isOpen(["listen": "0.0.0.0:8787"]) && isOpen(["listen": "[::]:8787"]) && isOpen(["listen": "192.168.1.5:8787"]))
        #expect(try isOpen(["listen": "0.0.0.0:8787", "publicURL": "http://relay.example"]))
        #expect(try !isOpen(["listen": "0.0.0.0:8787", "publicURL": "https://relay.example"]), "a proxy is in front")
    }

    @Test("a key that is none is told the nearest that is one")
    func nearest() throws {
        #expect(try fault(file: #"{"keepDay": 1}"#).hasSuffix("$.keepDay: there is no setting keepDay; did you mean keepDays?"))
        #expect(try fault(file: #"{"publicUrl": "https://a"}"#).hasSuffix("did you mean publicURL?"))
        #expect(try fault(file: #"{"elephants": 1}"#).hasSuffix("there is no setting elephants"))
        #expect(
            try fault(environment: ["HELIOGRAPH_LISTN": "a:1"])
                == "$HELIOGRAPH_LISTN is no setting; did you mean $HELIOGRAPH_LISTEN?")
        // Other programs may have variables that begin alike.
        _ = try settings(environment: ["HELIOGRAPH_STRICT": "1", "HELIOGRAPH_DATA": "/x"])
    }

    @Test("a group in the file")
    func groups() throws {
        let limits = try settings(file: #"{"limits": {"connections": 77, "outboxMegabytes": 2}}"#).configuration.limits
        #expect(limits.connectionsMax == 77 && limits.outboxBytesMax == 2 << 20)
        #expect(
            try fault(file: #"{"limits": {"conections": 77}}"#)
                .hasSuffix("$.limits.conections: there is no setting limits.conections; did you mean limits.connections?"))
        #expect(try fault(file: #"{"limits": 7}"#).contains("there is no setting limits"))
    }

    @Test("a file that was named has to be there")
    func missingFile() throws {
        #expect(throws: ServerError.self) {
            try EffectiveSettings(dataDirectory: "/", flags: [:], environment: [:], file: "/nowhere/relay.json")
        }
    }
}
