internal import Logging
internal import PushWeb
import RelayCore
internal import RelayProtocol
internal import WebSocketEngine

/// Every setting of the relay, in the order in which people look for them.
package enum Settings {
    package static let all: [Setting] = basic + limits + rest

    private static let basic: [Setting] = [
        Setting(
            key: "listen", valueName: "address:port",
            abstract: "Address and port to listen on; 0.0.0.0 or [::] is every network of this machine.",
            text: { $0.listenText },
            apply: { (text, configuration) throws(SettingValueError) in
                guard let (host, port) = ServerConfiguration.address(text) else {
                    throw SettingValueError("ADDRESS:PORT, such as 127.0.0.1:8787")
                }
                (configuration.host, configuration.port) = (host, port)
            }),
        .text(
            "publicURL", "url", \.publicURL, takes: PublicURL.takesSite,
            "The address by which others reach this relay, such as https://relay.example, without a path.",
            read: PublicURL.readSite),
        Setting(
            key: "pushContact", valueName: "address",
            abstract:
                "A contact for the makers of browsers, about this relay's notifications: mailto:… or https://…; without it, the public URL.",
            text: { $0.pushContact },
            apply: { (text, configuration) throws(SettingValueError) in
                if let fault = VAPIDContact.fault(in: text) {
                    throw SettingValueError("mailto:… or https://… with a public name (this one \(fault))")
                }
                configuration.pushContact = text
            }),
        .list(
            "pushHosts", "hosts", \.pushHosts, countMax: ServerLimits.pushHostsMax,
            takes:
                "names of DNS such as push.example,push.lan:8443=192.168.1.5 (an address lets it be in your own network), or none",
            "Push services of browsers other than the known ones: name[:port][=address], separated by commas, or none.",
            text: { $0.text }, read: { WebPushServices.Added($0) }),
        .list(
            "ntfyServers", "servers", \.ntfyServers, countMax: ServerLimits.pushHostsMax,
            takes: "servers such as http://192.168.1.5:8080, https://ntfy.lan or http://ntfy.lan=192.168.1.5, or none",
            "ntfy servers in your own network, or without TLS: http://name[:port][=address], separated by commas, or none. Public ones need no mention.",
            text: { $0.serverText }, read: { WebPushServices.Added(server: $0) }),
        Setting(
            key: "receivers", valueName: "file",
            abstract:
                "Programs and webhooks of yours that get pushes as JSON, each by a name: a JSON file that only you can write.",
            text: { $0.receivers?.file },
            apply: { (text, configuration) throws(SettingValueError) in
                do throws(ServerError) { configuration.receivers = try Receivers.read(text) } catch {
                    throw SettingValueError("a file of receivers (\(error.description))")
                }
            }),
        .list(
            "pushReminders", "minutes", \.pushReminders, countMax: ServerLimits.remindersMax,
            takes:
                "up to \(ServerLimits.remindersMax) numbers of minutes, such as 60,240, each of 5 to 10080 (a week), or none",
            "After how many minutes phones ring again for what still waits, each in turn and the last over and over, separated by commas; or none.",
            text: { String($0) }, read: { Int64($0).flatMap { ServerLimits.reminderMinutes.contains($0) ? $0 : nil } }),
        .text("tlsCertificate", "file", \.tlsCertificate, "Certificate chain, PEM. Needs its private key, too."),
        .text("tlsKey", "file", \.tlsKey, "The certificate's private key, PEM."),
        Setting(
            key: "trustedProxies", valueName: "networks",
            abstract:
                "Proxies that are trusted to say where a request comes from: addresses and networks, separated by commas, or none.",
            text: { $0.trustedProxies.description },
            apply: { (text, configuration) throws(SettingValueError) in
                guard let proxies = TrustedProxies(text) else {
                    throw SettingValueError("networks such as 10.0.0.0/8,2001:db8::/32,192.0.2.1, or none")
                }
                configuration.trustedProxies = proxies
            }),
        Setting(
            key: "proxyHeader", valueName: "name",
            abstract:
                "The header in which trusted proxies write it, X-Forwarded-For or Forwarded; not one that they only pass on.",
            text: { $0.proxyHeader.rawValue },
            apply: { (text, configuration) throws(SettingValueError) in
                let all = Forwarding.Header.allCases
                guard let header = all.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
                    throw SettingValueError(all.map(\.rawValue).joined(separator: " or "))
                }
                configuration.proxyHeader = header
            }),
        .text(
            "store", "url", \.store, takes: StoreAddress.takes,
            "The PostgreSQL database for the data, postgresql://…; without it, a file in the data directory. PGPASSFILE has the password.",
            read: StoreAddress.read),
        .text(
            "advertise", "url", \.advertise, takes: "http://HOST:PORT or https://HOST:PORT, without a path",
            "Where other relays on the same database reach this one: it serves alongside them, and owns some of the workspaces.",
            read: AdvertisedURL.read),
        .text("node", "name", \.node, "This relay's name among them; without it, the address where they reach it."),
        .text(
            "advertiseAuthority", "file", \.advertiseAuthority,
            "Certificate authorities (PEM) to trust for other relays, in addition to the system's."),
        .flag(
            "asynchronousDatabase", \.allowsAsynchronousDatabase,
            "Whether several relays may serve although their database has no synchronous standby, so that a failover may lose acknowledged data."
        ),
        .flag(
            "proxyProtocol", \.expectsProxyHeader,
            "Whether each connection begins with a PROXY header (version 1 or 2) from a trusted proxy; others are then closed."),
        Setting(
            key: "registration", valueName: "open|invited",
            abstract: "Whether anybody who reaches the relay may register a workspace, or only those whom you invite get one.",
            text: { $0.registration.isOpen ? "open" : "invited" },
            apply: { (text, configuration) throws(SettingValueError) in
                guard ["open", "invited"].contains(text) else { throw SettingValueError("open or invited") }
                configuration.registration.isOpen = text == "open"
            }),
        .integer(
            "registrationIdleDays", "days", 1...3_650, \.registration.idleDays,
            "Delete a registered workspace that nobody has used for this many days."),
        .integer(
            "keepDays", "days", 0...36_500, \.keepDays,
            "Remove sessions in which nothing has happened for this many days; 0 keeps all."),
        .integer(
            "keepMegabytes", "megabytes", 0...(1 << 30), \.keepMegabytes,
            "Above this many megabytes of events in a workspace, remove the oldest of hosts with more than a fair share, ended sessions first; 0 keeps all."
        ),
        .integer(
            // Twice this value must be valid in a `welcome`.
            "heartbeat", "seconds", 1...Int(Heartbeat.secondsMax / 2), \.heartbeat,
            "Ping a peer that is silent for this many seconds; disconnect it after twice as many."),
    ]

    private static let rest: [Setting] = [
        .integer(
            "loops", "count", 1...EventLoopGroup.loopsMax, \.loops,
            "Threads that serve connections. One is best up to two cores; use more if thousands of clients keep it busy."),
        .text("webRoot", "folder", \.webRoot, "Serve the page from this folder instead of the one in the binary."),
        Setting(
            key: "logLevel", valueName: "level",
            abstract: "What to log: trace, debug, info, notice, warning, error or critical. JSON lines on standard error.",
            text: { $0.logLevel.rawValue },
            apply: { (text, configuration) throws(SettingValueError) in
                guard let level = Logger.Level(rawValue: text) else {
                    throw SettingValueError("one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                configuration.logLevel = level
            }),
    ]

    /// The setting with this key; traps if there is none.
    package static func named(_ key: String) -> Setting {
        guard let setting = all.first(where: { $0.key == key }) else { preconditionFailure("no setting \(key)") }
        return setting
    }
}

extension ServerConfiguration {
    fileprivate var listenText: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Parses `HOST:PORT`; nil if it is invalid. Without a host it means every network.
    package static func address(_ text: String) -> (String, UInt16)? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
        let host = text[..<colon].drop { $0 == "[" }.prefix { $0 != "]" }
        return (host.isEmpty ? "0.0.0.0" : String(host), port)
    }

    fileprivate static let dayMilliseconds: Int64 = 24 * 60 * 60 * 1000

    fileprivate var keepDays: Int {
        get { retention.ageMax.map { Int($0 / Self.dayMilliseconds) } ?? 0 }
        set { retention.ageMax = newValue == 0 ? nil : Int64(newValue) * Self.dayMilliseconds }
    }

    fileprivate var keepMegabytes: Int {
        get { retention.bytesMax.map { Int($0 >> 20) } ?? 0 }
        set { retention.bytesMax = newValue == 0 ? nil : Int64(newValue) << 20 }
    }

    fileprivate var heartbeat: Int {
        get { Int(liveness.pingAfter.components.seconds) }
        set { liveness = Liveness(pingAfter: .seconds(newValue), hangUpAfter: .seconds(2 * newValue)) }
    }
}
