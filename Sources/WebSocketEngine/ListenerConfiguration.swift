package import HeliographPlatform

/// Address of a listener, and its requirements for connections.
package struct ListenerConfiguration: Sendable {
    package enum Address: Sendable {
        /// `host` is an IPv4 or IPv6 literal, or `localhost` (127.0.0.1). Port 0 takes any free port, see `Listener.port`.
        case tcp(host: String, port: UInt16)

        /// A socket file with mode 0600. An existing file is removed only if it is a socket that no process uses.
        case unix(path: String)

        /// A listening socket that other processes hold, too, so that it outlives this one. It is closed but never shut down.
        case passed(PassedSocket)
    }

    /// PEM files; TLS 1.2 at least, HTTP/1.1 only. All TLS listeners of one loop share one identity.
    package struct TLS: Sendable, Hashable {
        package var certificateFile: String
        package var privateKeyFile: String

        package init(certificateFile: String, privateKeyFile: String) {
            self.certificateFile = certificateFile
            self.privateKeyFile = privateKeyFile
        }
    }

    package var address: Address
    package var tls: TLS?

    /// Subprotocols that `UpgradeDecision.accept` may name.
    package var subprotocols: [String]

    /// Headers to expose in addition to the standard ones.
    package var extraHeaders = ["x-forwarded-proto", "x-forwarded-host", "x-request-id"]

    /// True if each connection must begin with a PROXY header, from a peer that is a proxy by `ServerHandler.isProxy`; others are
    /// closed. For TCP listeners.
    package var expectsProxyHeader = false

    package var limits = Limits()
    package var liveness = Liveness()

    package init(
        address: Address, tls: TLS? = nil, subprotocols: [String] = [], limits: Limits = Limits(),
        liveness: Liveness = Liveness()
    ) {
        self.address = address
        self.tls = tls
        self.subprotocols = subprotocols
        self.limits = limits
        self.liveness = liveness
    }
}
