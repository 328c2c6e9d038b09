internal import DequeModule

/// The loop's state of one socket. Exists in the loop's table from before libwebsockets knows the socket until
/// LWS_CALLBACK_WSI_DESTROY, the last callback for every socket.
@safe final class Connection {
    enum Phase {
        /// Accepted; speaks HTTP. Becomes `upgrading` or `dropped`.
        case http
        /// The handler accepted the upgrade; libwebsockets is about to answer 101. Becomes `open` or `dropped`.
        case upgrading
        /// A client on its way. Becomes `open` or `dropped`.
        case connecting
        /// A WebSocket; the handler knows it. Becomes `closing` or `dropped`.
        case open
        /// A close frame is due or was sent, or the peer's came: nothing is received or sent any more. Becomes `dropped`.
        case closing
        /// libwebsockets was told to hang up and will do so on its next turn.
        case dropped
    }

    enum Role {
        case server(Listener)
        /// Indirect: a server has thousands, whose connections would have room for a configuration each.
        indirect case client(any ClientHandler, ClientConfiguration)
    }

    let id: ConnectionID

    // MARK: What a message that is sent looks at

    /// Gets `socket`, `plainDescriptor` and `isReady` whenever one of them may have changed.
    private unowned let table: ConnectionTable
    /// The `lws`, which libwebsockets owns: nil before it is made and from LWS_CALLBACK_WSI_DESTROY on.
    var socket: OpaquePointer? { didSet { table.show(self) } }
    /// The descriptor of `socket`, where frames go to it as they are: without TLS, as long as it is open. Else -1.
    var plainDescriptor: Int32 = -1 { didSet { table.show(self) } }
    var phase: Phase {
        didSet {
            if phase != .open { plainDescriptor = -1 }
            table.show(self)
        }
    }
    let isClient: Bool
    var isPingDue = false { didSet { table.show(self) } }
    /// A message came in frames, and a ping may have come between them. libwebsockets sends its pong when the socket is writable, so what
    /// is sent waits for that too: the pong was asked for first.
    var mayOwePong = false { didSet { table.show(self) } }
    /// The handler was told, or is about to be, that much waits.
    var isCongested = false { didSet { table.show(self) } }
    /// Messages behind one that the peer does not take; once this is not empty, every later message goes here.
    var outbox: Deque<OutgoingMessage> = [] { didSet { table.show(self) } }
    var outboxBytes = 0
    /// Bytes of the message that libwebsockets took and may not have sent in full.
    var inFlightBytes = 0

    /// A server's of which nothing is known that a message would have to wait for, or that would have to be looked at behind it.
    var isReady: Bool { !isClient && phase == .open && !isPingDue && !mayOwePong && !isCongested && outbox.isEmpty }

    // MARK: Life

    let role: Role
    /// Taken from `role`, as are the next two; nil for clients. Asked with every message: a role that is looked into is copied.
    let listener: Listener?
    /// The listener's, unless its upgrade brought others.
    var limits: Limits
    let liveness: Liveness
    let peer: Peer

    /// The handler accepted the upgrade, so it will get `opened` or `upgradeAbandoned`.
    var wasAccepted = false

    /// The handler got `opened`, so it will get `closed`.
    var wasOpened = false

    /// When the sweep ends this connection, whatever it is waiting for.
    var deadline: MonotonicTime?

    /// The step at which it is looked at next.
    var dueStep = DueTable.never

    /// The first reason wins; without one the connection was lost.
    var closeReason: CloseReason?

    // MARK: WebSocket

    var assembly = MessageAssembly()

    /// When the message that is coming in began; nil: none is.
    var messageBegan: MonotonicTime?

    /// The part of `unfinishedBytes` that the loop has counted.
    var countedUnfinishedBytes = 0

    /// Bytes held of a message or a request body that is incomplete.
    var unfinishedBytes: Int { assembly.heldBytes + (incomingRequest?.body.count ?? 0) }

    /// As TCP counts them, when the peer was last judged with more on its way to it; 0 where nothing was.
    var acknowledgedBytes: UInt64 = 0

    /// Before it is a WebSocket: when it came, or its last request did.
    var lastHeard = MonotonicTime(nanoseconds: 0)
    var lastPinged = MonotonicTime(nanoseconds: 0)
    var isReadingPaused = false
    /// Reading stopped because the main loop has not taken this connection's input, see `LoopInbox`.
    var isBackpressured = false

    /// The close frame that was ordered and has not been sent.
    var closeFrame: (code: UInt16, reason: [UInt8])?

    // MARK: HTTP

    /// The request whose body is still coming in.
    var incomingRequest: HTTPRequest?
    /// No other request is taken from this connection, see `ServerHandler.mayAskAgain`.
    var isLastRequest = false
    /// Body limit of that request, if it differs from the usual one.
    var bodyBytesMax: Int?
    var exchange: HTTPExchange?
    /// `peer` is the address that a PROXY header gave.
    var isNamedByProxy = false
    /// Accepted only to be refused with this reason, whatever is requested; not counted anywhere.
    var refusal: TurnAwayReason?
    /// Counts against the listener's cap on connections that are not WebSockets.
    var isPending = false
    /// The loop that counts this connection, see `Admission`.
    var place = 0
    /// The peer that it counts for against the cap per address; nil: nobody.
    var countedPeer: Peer?
    /// The peer to which the present request counts if a proxy named one; nil: none.
    var forwardedPeer: Peer?
    /// The headers of a first request were in.
    var hasAsked = false
    /// The subprotocol that the handler accepted, while `upgrading`.
    var subprotocol: String?

    // MARK: Client

    var clientAttempt = ClientAttempt()
    /// Carries the bytes of a connection that was dialled.
    var bridge: SocketBridge?

    /// Made by its table.
    init(id: ConnectionID, of table: ConnectionTable, _ role: Role, _ peer: Peer, _ phase: Phase) {
        self.id = id
        self.table = table
        self.role = role
        switch role {
        case .server(let listener):
            isClient = false
            self.listener = listener
            limits = listener.configuration.limits
            liveness = listener.configuration.liveness
        case .client(_, let configuration):
            isClient = true
            listener = nil
            limits = configuration.limits
            liveness = configuration.liveness
        }
        self.peer = peer
        self.phase = phase
    }
}

/// A request that the handler has and the peer waits for.
struct HTTPExchange {
    let id: HTTPRequestID
    let isHead: Bool
    /// The handler's `requestReceived` is on the stack: the answer can go out when it returns.
    var isInHandler = true
    /// Reading is off and the departure watch looks after the peer.
    var isDeferred = false
    var response: HTTPResponse?
}

/// Progress of an outbound connection attempt.
struct ClientAttempt {
    /// Numeric addresses, or `+path`, that have not been tried.
    var addresses: [String] = []
    /// `lws_client_connect_via_info` is on the stack: it may destroy the socket before it returns.
    var isStarting = false
    var diedWhileStarting = false
    /// Outcome of the last address tried.
    var failure: CloseReason?
    var subprotocol: String?
}
