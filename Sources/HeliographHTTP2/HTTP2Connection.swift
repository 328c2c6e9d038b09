internal import HeliographCrypto
internal import Glibc

/// The state of one connection, on which `HTTP2Loop` acts.
final class HTTP2Connection {
    enum Role {
        case client(any HTTP2ClientHandler, HTTP2ClientConfiguration)
        case server(any HTTP2ServerHandler, HTTP2ServerConfiguration, listener: UInt64)
    }

    enum Phase {
        /// A client's name is being resolved, or TCP is connecting. Becomes handshaking, or closed.
        case connecting
        /// TCP is connected. Becomes greeting once TLS is established, or closed.
        case handshaking
        /// The protocol is negotiated; waits for the peer's SETTINGS. Becomes open, or closed.
        case greeting
        case open
        /// No new streams; queued output is sent until `deadline`. Becomes closed.
        case closing
        /// Ended; its id is no longer valid.
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
    /// Time by which the phase must end. Always set until the connection is open.
    var deadline: MonotonicTime?
    /// Deadline of each stream that has not ended.
    var streamDeadlines: [Int32: MonotonicTime] = [:]

    /// Nil before TCP connects and after the end.
    var socket: Int32?
    /// Addresses not tried yet, and the deadline of the one being tried.
    var addresses: [String] = []
    var attemptDeadline: MonotonicTime?
    /// Why the last address failed.
    var failure: String?
    /// The peer's address, as reported to handlers.
    var peer = ""

    /// TLS records that the network has not accepted yet, from `outputOffset` on.
    var output: [UInt8] = []
    var outputOffset = 0
    var isWaitingForWritable = false
    /// Buffer for frames before they are encrypted; a property so that its memory is reused.
    var plaintext: [UInt8] = []

    /// The reason to be reported, if it is known before the connection ends.
    var closeReason: HTTP2CloseReason?
    /// Fault: no HTTP/2 is read or written before our SETTINGS are sent. nghttp2 would otherwise acknowledge the peer's first, and
    /// a connection that does not begin with SETTINGS is invalid.
    var isHoldingSettings = false
    /// Fault: after this many more bytes of HTTP/2 were sent the socket closes.
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
