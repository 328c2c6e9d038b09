package import HeliographCrypto

/// The server that is called, and how.
package struct HTTP2ClientConfiguration: Sendable {
    /// A DNS name or an address; the certificate must name it.
    package var host: String
    package var port: UInt16
    /// Address to connect to instead of the one from DNS; the certificate must still name `host`. For tests and tunnels.
    package var address: String?
    /// For the protocol `h2`; where `allowsHTTP1`, for `http/1.1` as well. Nil: in the clear, which needs `allowsHTTP1`.
    package var tls: TLSContext?
    package var limits = HTTP2Limits()
    /// If set, a server without HTTP/2 is sent one request at a time by HTTP/1.1. The bodies then need a `content-length`.
    package var allowsHTTP1 = false
    /// Asked for each address right before it is called, so that what DNS said before, or says later, does not matter.
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
    /// The kinds of trouble that a server can be told to make from the first byte on. What comes later is a call on the loop.
    package struct Faults: Sendable {
        /// No SETTINGS until `sendSettings(_:streamsMax:)` is called.
        package var holdsSettings = false
        /// No WINDOW_UPDATE until `releaseWindow(_:)` is called.
        package var holdsWindow = false
        /// Connections are accepted and never answered, not even by TLS.
        package var isSilent = false

        package init() {}
    }

    /// A literal address.
    package var address: String
    /// 0 takes a free one.
    package var port: UInt16
    /// For the protocol `h2`.
    package var tls: TLSContext
    /// SETTINGS_MAX_CONCURRENT_STREAMS of a new connection.
    package var streamsMax: Int
    /// SETTINGS_INITIAL_WINDOW_SIZE: bytes of body that a stream may send unasked.
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
