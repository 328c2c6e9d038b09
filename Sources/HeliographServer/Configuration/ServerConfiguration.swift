internal import HeliographCrypto
package import Logging
internal import HeliographPlatform
internal import PushPlanner
internal import PushWeb
internal import RelayAccess
package import RelayCore
internal import RelayProtocol
package import WebSocketEngine

/// Settings of `heliograph serve`; every field has a default that opens nothing to the network.
package struct ServerConfiguration: Sendable {
    /// Folder of the data file, its secrets and the admin socket.
    package var dataDirectory: String
    /// The database that the data is in; nil: a file in the data directory.
    package var store: String?
    /// This node's address for other nodes on the same database, `http://…` or `https://…`; nil: it takes no links, and stands by if
    /// others own anything.
    package var advertise: String?
    /// This node's name among them; nil: its address.
    package var node: String?
    /// Trusted in addition to the system's authorities where other nodes are dialled by TLS.
    package var advertiseAuthority: String?
    /// Several relays may serve although the database has no synchronous standby.
    var allowsAsynchronousDatabase = false
    /// Address to listen on.
    package var host = "127.0.0.1"
    package var port: UInt16 = 8787
    /// Taken instead of an own socket; `host` and `port` are then this one's.
    var passedSocket: PassedSocket?
    /// PEM files; both or neither. Without them the relay speaks plain HTTP, for loopback or a reverse proxy.
    package var tlsCertificate: String?
    package var tlsKey: String?
    /// URL by which people reach the relay from elsewhere, such as `https://relay.example`; for links, and as an allowed origin.
    package var publicURL: String?
    /// Contact for push services of browsers: `mailto:…` or `https://…`. Nil: `publicURL`.
    var pushContact: String?
    /// Push services of browsers that are called besides the known ones.
    var pushHosts: [WebPushServices.Added] = []
    /// Servers of ntfy in the own network, or without TLS; others may be any that is public.
    var ntfyServers: [WebPushServices.Added] = []
    /// Programs and webhooks of the operator's that get pushes; nil: none.
    var receivers: Receivers?
    /// In minutes; see `PushSettings.reminders`.
    var pushReminders = PushSettings.remindersDefault
    /// Serves this folder instead of the page in the binary; for working on the page.
    package var webRoot: String?
    /// Silence after which a peer is pinged, and after which it is disconnected. A half-open phone is noticed within half a minute.
    package var liveness = Liveness(pingAfter: .seconds(15), hangUpAfter: .seconds(30))
    /// A quarter of history, and what a small disk has to spare.
    package var retention = Retention(ageMax: 90 * 24 * 60 * 60 * 1000, bytesMax: 4 << 30)
    /// Threads that serve connections; with one, it is the core's own.
    package var loops = 1
    /// The limits of each listener.
    package var limits = WebSocketEngine.Limits.ofRelay
    package var serverLimits = ServerLimits()
    package var quotas = Quotas()
    package var registration = RegistrationRules()
    /// All headers of one request: cookies and tokens with room to spare; browsers and proxies stop at 8 kB too.
    package var headerKilobytes = 8
    var trustedProxies = TrustedProxies.standard
    var proxyHeader = Forwarding.Header.xForwardedFor
    /// Connections begin with a PROXY header.
    package var expectsProxyHeader = false
    package var logLevel = Logger.Level.notice
    /// The executable's own path, for the lines that people copy.
    package var executable = "heliograph"

    /// The place of each setting that somebody gave, by key.
    var sources: [String: String] = [:]

    package init(dataDirectory: String) { self.dataDirectory = dataDirectory }

    /// The relay's name for itself on the wire.
    package static let software = "heliograph/\(version)"
    package static let version = "0.1.0"

    var forwarding: Forwarding {
        // If the relay speaks TLS itself, or nothing does, a user of the public name may have connected straight here.
        let isBehindTLS = tls == nil && publicURL?.hasPrefix("https://") == true
        let address = isBehindTLS ? publicURL.flatMap { RelayAddress($0) } : nil
        let publicHost = address.flatMap { $0.staysHere ? nil : publicURL?.dropFirst("https://".count) }
            .map { $0.prefix { $0 != "/" }.lowercased() }
        return Forwarding(proxies: trustedProxies, header: proxyHeader, publicHost: publicHost)
    }

    /// Serves on the socket that a service manager has passed to this process, if one has.
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

    /// Nil: the relay speaks plain HTTP.
    var tls: ListenerConfiguration.TLS? {
        guard let tlsCertificate, let tlsKey else { return nil }
        return .init(certificateFile: tlsCertificate, privateKeyFile: tlsKey)
    }

    /// The address that a person on this machine can open.
    func localURL(port: UInt16) -> String {
        let scheme = tls == nil ? "http" : "https"
        let name = isOnEveryNetwork ? "127.0.0.1" : host
        return "\(scheme)://\(name.contains(":") ? "[\(name)]" : name):\(port)"
    }

    /// A token would travel over the network for all to read: nothing here, and as far as is known nothing in front, speaks TLS.
    package var isOpenToOthers: Bool { tls == nil && !Loopback.contains(host) && publicURL?.hasPrefix("https://") != true }

    /// Every network of this machine is listened to.
    var isOnEveryNetwork: Bool { host == "0.0.0.0" || host == "::" }

    /// URL for others, as far as it is known; else the one for this machine.
    var pageURL: String { publicURL ?? certifiedURL(port: port) ?? localURL(port: port) }

    /// The address that others can open, by the first name in the certificate that means one machine; nil where only this machine is
    /// listened to, or nothing says what others call it.
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
        // A snapshot carries every pending approval, whole: room for dozens of large ones.
        limits.outboxBytesMax = 16 << 20
        limits.tooSlowCloseCode = CloseCode.tooSlow.rawValue
        limits.unfinishedCloseCode = CloseCode.tooMany.rawValue
        // Codes, devices' registrations, answers: all of them are small, and strangers send some.
        limits.httpBodyBytesMax = 64 << 10
        limits.bodyDeadline = .seconds(10)
        return limits
    }
}
