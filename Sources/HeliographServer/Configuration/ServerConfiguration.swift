internal import HeliographCrypto
package import Logging
internal import HeliographPlatform
internal import PushPlanner
internal import PushWeb
internal import RelayAccess
package import RelayCore
internal import RelayProtocol
package import WebSocketEngine

/// Settings of `heliograph serve`; the defaults open nothing to the network.
package struct ServerConfiguration: Sendable {
    /// Folder of the data file, its secrets and the admin socket.
    package var dataDirectory: String
    /// Address of the database with the data; nil: the data is in a file in the data directory.
    package var store: String?
    /// This node's address for other nodes on the same database, `http://…` or `https://…`; nil: it accepts no links, and is a
    /// standby while others own anything.
    package var advertise: String?
    /// This node's name for other nodes; nil: its address.
    package var node: String?
    /// File of authorities to trust, in addition to the system's, for links to other nodes over TLS.
    package var advertiseAuthority: String?
    /// Allows several relays to serve although the database has no synchronous standby.
    var allowsAsynchronousDatabase = false
    package var host = "127.0.0.1"
    package var port: UInt16 = 8787
    /// Used instead of an own socket; `host` and `port` are then this one's.
    var passedSocket: PassedSocket?
    /// PEM files; both or neither. Without them the relay uses plain HTTP, for loopback or behind a reverse proxy.
    package var tlsCertificate: String?
    package var tlsKey: String?
    /// URL with which people reach the relay from elsewhere, such as `https://relay.example`; for links, and as an allowed origin.
    package var publicURL: String?
    /// Contact for browsers' push services: `mailto:…` or `https://…`. Nil: `publicURL`.
    var pushContact: String?
    /// Push services of browsers that may be called in addition to the known ones.
    var pushHosts: [WebPushServices.Added] = []
    /// ntfy servers in the own network, or without TLS; public ones need not be listed.
    var ntfyServers: [WebPushServices.Added] = []
    /// The operator's programs and webhooks that get pushes; nil: none.
    var receivers: Receivers?
    /// Minutes after which a waiting alert is repeated; see `PushSettings.reminders`.
    var pushReminders = PushSettings.remindersDefault
    /// Serves this folder instead of the page in the executable; for development of the page.
    package var webRoot: String?
    /// Silence after which a peer is pinged, and after which it is disconnected. A phone that lost its network is detected within
    /// half a minute.
    package var liveness = Liveness(pingAfter: .seconds(15), hangUpAfter: .seconds(30))
    /// Default: a quarter of a year, and as much as a small disk can spare.
    package var retention = Retention(ageMax: 90 * 24 * 60 * 60 * 1000, bytesMax: 4 << 30)
    /// Threads that serve connections; with one, it is the core's own.
    package var loops = 1
    package var limits = WebSocketEngine.Limits.ofRelay
    package var serverLimits = ServerLimits()
    package var quotas = Quotas()
    package var registration = RegistrationRules()
    /// Limit of all headers of one request: enough for cookies and tokens; browsers and proxies also stop at 8 kB.
    package var headerKilobytes = 8
    var trustedProxies = TrustedProxies.standard
    var proxyHeader = Forwarding.Header.xForwardedFor
    /// True if connections begin with a PROXY header.
    package var expectsProxyHeader = false
    package var logLevel = Logger.Level.notice
    /// The executable's own path, for commands that people copy.
    package var executable = "heliograph"

    /// Source of each setting that was given, by key.
    var sources: [String: String] = [:]

    package init(dataDirectory: String) { self.dataDirectory = dataDirectory }

    /// The relay's software name on the wire.
    package static let software = "heliograph/\(version)"
    package static let version = "0.1.0"

    var forwarding: Forwarding {
        // If the relay has TLS itself, or nobody does, users of the public name may connect to it directly.
        let isBehindTLS = tls == nil && publicURL?.hasPrefix("https://") == true
        let address = isBehindTLS ? publicURL.flatMap { RelayAddress($0) } : nil
        let publicHost = address.flatMap { $0.staysHere ? nil : publicURL?.dropFirst("https://".count) }
            .map { $0.prefix { $0 != "/" }.lowercased() }
        return Forwarding(proxies: trustedProxies, header: proxyHeader, publicHost: publicHost)
    }

    /// Uses the socket that a service manager has passed to this process, if there is one.
    package mutating func takePassedSocket(environment: [String: String]) throws {
        guard let count = PassedSocket.count(environment: environment) else {
            throw ServerError(.settings, "LISTEN_FDS, of the service manager, is not a number of sockets")
        }
        guard count > 0 else { return }
        guard count == 1 else {
            throw ServerError(.settings, "the service manager passes \(count) sockets, and the relay takes one")
        }
        guard let socket = PassedSocket() else {
            throw ServerError(.settings, "what the service manager passes is no TCP socket that listens")
        }
        passedSocket = socket
        (host, port) = (socket.host, socket.port)
    }

    /// Nil: the relay uses plain HTTP.
    var tls: ListenerConfiguration.TLS? {
        guard let tlsCertificate, let tlsKey else { return nil }
        return .init(certificateFile: tlsCertificate, privateKeyFile: tlsKey)
    }

    /// The address that a browser on this machine can open.
    func localURL(port: UInt16) -> String {
        let scheme = tls == nil ? "http" : "https"
        let name = isOnEveryNetwork ? "127.0.0.1" : host
        return "\(scheme)://\(name.contains(":") ? "[\(name)]" : name):\(port)"
    }

    /// True if tokens would be sent over the network unencrypted: neither the relay nor, as far as is known, a proxy in front of it
    /// uses TLS.
    package var isOpenToOthers: Bool { tls == nil && !Loopback.contains(host) && publicURL?.hasPrefix("https://") != true }

    /// True if the relay listens on every network of this machine.
    var isOnEveryNetwork: Bool { host == "0.0.0.0" || host == "::" }

    /// URL for others, as far as it is known; else the one for this machine.
    var pageURL: String { publicURL ?? certifiedURL(port: port) ?? localURL(port: port) }

    /// The URL that others can open, with the first name in the certificate that stands for one machine; nil if the relay listens
    /// only on this machine, or has no such name.
    func certifiedURL(port: UInt16) -> String? {
        guard let tls, !Loopback.contains(host), let names = try? CertificateFile.names(tls.certificateFile) else { return nil }
        let name = names.first { !$0.hasPrefix("*") && !Loopback.contains($0) && $0 != "0.0.0.0" }
        return name.map { "https://\($0.contains(":") ? "[\($0)]" : $0)" + (port == 443 ? "" : ":\(port)") }
    }
}

extension WebSocketEngine.Limits {
    fileprivate static var ofRelay: Self {
        var limits = Self()
        limits.messageBytesMax = WireLimits.messageBytesMax
        // A snapshot contains every pending approval as a whole: enough for dozens of large ones.
        limits.outboxBytesMax = 16 << 20
        limits.tooSlowCloseCode = CloseCode.tooSlow.rawValue
        limits.unfinishedCloseCode = CloseCode.tooMany.rawValue
        // Codes, device registrations and answers are all small, and strangers send some.
        limits.httpBodyBytesMax = 64 << 10
        limits.bodyDeadline = .seconds(10)
        return limits
    }
}
