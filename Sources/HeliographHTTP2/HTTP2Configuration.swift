package import HeliographCrypto

/// Address of a server, and how to connect to it.
package struct HTTP2ClientConfiguration: Sendable {
    /// A DNS name or an address; the certificate must name it.
    package var host: String
    package var port: UInt16
    /// Address to connect to instead of the one from DNS; the certificate must still name `host`. For tests and tunnels.
    package var address: String?
    /// TLS settings for the protocol `h2`, and with `allowsHTTP1` for `http/1.1` as well. Nil for no TLS, which needs
    /// `allowsHTTP1`.
    package var tls: TLSContext?
    package var limits = HTTP2Limits()
    /// If set, a server without HTTP/2 is sent one request at a time by HTTP/1.1. The bodies then need a `content-length`.
    package var allowsHTTP1 = false
    /// Called for each address right before connecting to it, so that earlier or later answers of DNS do not matter.
    package var allowsAddress: @Sendable (String) -> Bool = { _ in true }

    package init(host: String, port: UInt16, address: String? = nil, tls: TLSContext?) {
        self.host = host
        self.port = port
        self.address = address
        self.tls = tls
    }
}

/// Address and behaviour of a server.
package struct HTTP2ServerConfiguration: Sendable {
    /// Faults that a server can simulate from the first byte on. Later faults are calls on the loop.
    package struct Faults: Sendable {
        /// No SETTINGS until `sendSettings(_:streamsMax:)` is called.
        package var holdsSettings = false
        /// No WINDOW_UPDATE until `releaseWindow(_:)` is called.
        package var holdsWindow = false
        /// Connections are accepted and never answered, not even by TLS.
        package var isSilent = false

        package init() {}
    }

    /// A literal IP address.
    package var address: String
    /// 0 for any free port.
    package var port: UInt16
    /// TLS settings, for the protocol `h2`.
    package var tls: TLSContext
    /// SETTINGS_MAX_CONCURRENT_STREAMS of a new connection.
    package var streamsMax: Int
    /// SETTINGS_INITIAL_WINDOW_SIZE: bytes of body that a stream may send before a WINDOW_UPDATE.
    package var streamWindowBytes = 65_535
    package var faults = Faults()
    package var limits = HTTP2Limits()

    package init(address: String = "127.0.0.1", port: UInt16 = 0, tls: TLSContext, streamsMax: Int = 100) {
        self.address = address
        self.port = port
        self.tls = tls
        self.streamsMax = streamsMax
    }
}
