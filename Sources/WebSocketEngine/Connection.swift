internal import DequeModule

/// What the loop knows of one socket. Lives in the loop's table from before libwebsockets knows the socket until
/// LWS_CALLBACK_WSI_DESTROY, the last word on every socket.
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
    /// What waits because the peer does not take it; behind it, everything does.
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

    /// Whether the handler accepted the upgrade and thus has `opened` or `upgradeAbandoned` to come.
    var wasAccepted = false

    /// Whether the handler got `opened` and thus has `closed` to come.
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

    /// What it holds of a message or a body that has not come in whole.
    var unfinishedBytes: Int { assembly.heldBytes + (incomingRequest?.body.count ?? 0) }

    /// As TCP counts them, when the peer was last judged with more on its way to it; 0 where nothing was.
    var acknowledgedBytes: UInt64 = 0

    /// Before it is a WebSocket: when it came, or its last request did.
    var lastHeard = MonotonicTime(nanoseconds: 0)
    var lastPinged = MonotonicTime(nanoseconds: 0)
    var isReadingPaused = false
    /// What it brought has not been taken, see `LoopInbox`.
    var isBackpressured = false

    /// What `close` ordered and has not gone out.
    var closeFrame: (code: UInt16, reason: [UInt8])?

    // MARK: HTTP

    /// The request whose body is still coming in.
    var incomingRequest: HTTPRequest?
    /// No other request is taken from this connection, see `ServerHandler.mayAskAgain`.
    var isLastRequest = false
    /// The limit of that request, where it may have a larger body than others.
    var bodyBytesMax: Int?
    var exchange: HTTPExchange?
    /// `peer` is the address that a PROXY header gave.
    var isNamedByProxy = false
    /// It was let in to be told this, whatever it asks; it counts for nobody and nowhere.
    var refusal: TurnAwayReason?
    /// Counts against the listener's cap on connections that are not WebSockets.
    var isPending = false
    /// Where it counts, see `Admission`.
    var place = 0
    /// The peer that it counts for against the cap per address; nil: nobody.
    var countedPeer: Peer?
    /// The peer that the request under way counts for, where a proxy named one; nil: nobody.
    var forwardedPeer: Peer?
    /// The headers of a first request were in.
    var hasAsked = false
    /// What the handler accepted, while `upgrading`.
    var subprotocol: String?

    // MARK: Client

    var clientAttempt = ClientAttempt()

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

/// How far an outbound connection has come.
struct ClientAttempt {
    /// Numeric addresses, or `+path`, that have not been tried.
    var addresses: [String] = []
    /// `lws_client_connect_via_info` is on the stack: it may destroy the socket before it returns.
    var isStarting = false
    var diedWhileStarting = false
    /// What the last try ended with.
    var failure: CloseReason?
    var subprotocol: String?
}
