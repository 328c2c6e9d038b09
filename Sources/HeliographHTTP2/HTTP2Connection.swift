internal import HeliographCrypto
internal import Glibc

/// The state of one connection; `HTTP2Loop` is what acts on it.
final class HTTP2Connection {
    enum Role {
        case client(any HTTP2ClientHandler, HTTP2ClientConfiguration)
        case server(any HTTP2ServerHandler, HTTP2ServerConfiguration, listener: UInt64)
    }

    enum Phase {
        /// A client's name is being looked up, or a packet of TCP is out. Becomes handshaking, or closed.
        case connecting
        /// TCP is up. Becomes greeting once TLS is, or closed.
        case handshaking
        /// HTTP/2 is agreed; the peer's SETTINGS are awaited. Becomes open, or closed.
        case greeting
        case open
        /// Nothing new begins; what is queued goes out before the end of `deadline`. Becomes closed.
        case closing
        /// Gone; its id means nothing any more.
        case closed
    }

    let id: HTTP2ConnectionID
    let role: Role
    let limits: HTTP2Limits
    let tls: any ByteSession
    let http2: HTTP2Session
    /// The protocol in use: `http2`, or after the handshake HTTP/1.1 for a server that supports nothing else.
    var session: any HTTPSession
    var phase: Phase
    /// When the phase has to be over. Always set until the connection is open.
    var deadline: MonotonicTime?
    /// When each stream that has not ended has to be over.
    var streamDeadlines: [Int32: MonotonicTime] = [:]

    /// Nil before TCP is begun and after the end.
    var socket: Int32?
    /// Addresses not tried yet, and until when the one that is being tried has time.
    var addresses: [String] = []
    var attemptDeadline: MonotonicTime?
    /// Why the last address did not do.
    var failure: String?
    /// An address; what a handler is told.
    var peer = ""

    /// Records that the network has not taken yet, from `outputOffset` on.
    var output: [UInt8] = []
    var outputOffset = 0
    var isWaitingForWritable = false
    /// A place for frames before they are sealed, kept for its memory.
    var plaintext: [UInt8] = []

    /// The reason to be reported, if it is known before the connection ends.
    var closeReason: HTTP2CloseReason?
    /// Fault: nothing of HTTP/2 is read or written before our SETTINGS are sent. nghttp2 would acknowledge the peer's first, and a
    /// connection that does not begin with SETTINGS is broken.
    var isHoldingSettings = false
    /// Fault: this many more bytes of HTTP/2 leave, then the socket closes.
    var bytesUntilCut: Int?
    /// Fault: nothing is read or written any more.
    var isStalled = false
    var isInDirtyList = false

    init(id: HTTP2ConnectionID, role: Role, phase: Phase, deadline: MonotonicTime) {
        self.id = id
        self.role = role
        self.phase = phase
        self.deadline = deadline
        switch role {
        case .client(_, let configuration):
            limits = configuration.limits
            tls = configuration.tls.map { TLSSession(client: $0, serverName: configuration.host) } ?? PlainSession()
            http2 = HTTP2Session(isServer: false, limits: limits)
        case .server(_, let configuration, _):
            limits = configuration.limits
            tls = TLSSession(server: configuration.tls)
            http2 = HTTP2Session(isServer: true, limits: limits, faults: configuration.faults)
            isHoldingSettings = configuration.faults.holdsSettings
        }
        session = http2
    }

    var hasOutput: Bool { outputOffset < output.count }
    var isServer: Bool { if case .server = role { true } else { false } }
}
