internal import DequeModule

/// The loop's state of one socket. Exists in the loop's table from before libwebsockets knows the socket until
/// LWS_CALLBACK_WSI_DESTROY, the last callback for every socket.
@safe final class Connection {
    enum Phase {
        /// Accepted; speaks HTTP. Becomes `upgrading` or `dropped`.
        case http
        /// The handler accepted the upgrade; libwebsockets is about to answer 101. Becomes `open` or `dropped`.
        case upgrading
        /// A client that is connecting. Becomes `open` or `dropped`.
        case connecting
        /// An open WebSocket, reported to the handler. Becomes `closing` or `dropped`.
        case open
        /// A close frame is due or was sent, or the peer's has arrived: no more messages are received or sent. Becomes `dropped`.
        case closing
        /// libwebsockets was told to close the socket and will do so on its next turn.
        case dropped
    }

    enum Role {
        case server(Listener)
        /// Indirect, so that the thousands of server connections do not each have room for a client's configuration.
        indirect case client(any ClientHandler, ClientConfiguration)
    }

    let id: ConnectionID

    // MARK: What a message that is sent looks at

    /// Is updated with `socket`, `plainDescriptor` and `isReady` whenever one of them may have changed.
    private unowned let table: ConnectionTable
    /// The `lws`, which libwebsockets owns: nil before it is made and from LWS_CALLBACK_WSI_DESTROY on.
    var socket: OpaquePointer? { didSet { table.show(self) } }
    /// The descriptor of `socket` for frames that are written directly, without libwebsockets: only without TLS and while open.
    /// Else -1.
    var plainDescriptor: Int32 = -1 { didSet { table.show(self) } }
    var phase: Phase {
        didSet {
            if phase != .open { plainDescriptor = -1 }
            table.show(self)
        }
    }
    let isClient: Bool
    var isPingDue = false { didSet { table.show(self) } }
    /// True if a ping may have come between the frames of a message. libwebsockets sends its pong when the socket is writable;
    /// messages wait for that too, because the pong was due first.
    var mayOwePong = false { didSet { table.show(self) } }
    /// True if the handler was told, or is about to be, that too many bytes wait.
    var isCongested = false { didSet { table.show(self) } }
    /// Messages that wait because the peer does not read fast enough. Once this is not empty, every later message goes here.
    var outbox: Deque<OutgoingMessage> = [] { didSet { table.show(self) } }
    var outboxBytes = 0
    /// Bytes of the message that libwebsockets has taken but may not have sent in full.
    var inFlightBytes = 0

    /// True for a server's connection on which a message can be sent at once, and needs no check afterwards.
    var isReady: Bool { !isClient && phase == .open && !isPingDue && !mayOwePong && !isCongested && outbox.isEmpty }

    // MARK: Life

    let role: Role
    /// Copied from `role`, like the next two; nil for clients. They are read for every message, and reading an enum's payload
    /// copies it.
    let listener: Listener?
    /// The listener's limits, unless its upgrade set others.
    var limits: Limits
    let liveness: Liveness
    let peer: Peer

    /// The handler accepted the upgrade, so it will get `opened` or `upgradeAbandoned`.
    var wasAccepted = false

    /// The handler got `opened`, so it will get `closed`.
    var wasOpened = false

    /// Time at which the sweep ends this connection, whatever it is waiting for.
    var deadline: MonotonicTime?

    /// The step of its next check.
    var dueStep = DueTable.never

    /// The first reason counts; without one the connection was lost.
    var closeReason: CloseReason?

    // MARK: WebSocket

    var assembly = MessageAssembly()

    /// Time at which the message that is being received began; nil for none.
    var messageBegan: MonotonicTime?

    /// The part of `unfinishedBytes` that is included in the loop's total.
    var countedUnfinishedBytes = 0

    /// Bytes held of a message or a request body that is incomplete.
    var unfinishedBytes: Int { assembly.heldBytes + (incomingRequest?.body.count ?? 0) }

    /// Bytes that TCP had acknowledged at the last liveness check with unsent data; 0 if there was none.
    var acknowledgedBytes: UInt64 = 0

    /// Before it is a WebSocket: time at which it was accepted, or its last request arrived.
    var lastHeard = MonotonicTime(nanoseconds: 0)
    var lastPinged = MonotonicTime(nanoseconds: 0)
    var isReadingPaused = false
    /// True if reading stopped because the main loop's inbox is full, see `LoopInbox`.
    var isBackpressured = false

    /// The close frame that was ordered and has not been sent.
    var closeFrame: (code: UInt16, reason: [UInt8])?

    // MARK: HTTP

    /// The request whose body is still coming in.
    var incomingRequest: HTTPRequest?
    /// True if no other request is accepted on this connection, see `ServerHandler.mayAskAgain`.
    var isLastRequest = false
    /// Body limit of that request, if it differs from the default.
    var bodyBytesMax: Int?
    var exchange: HTTPExchange?
    /// True if `peer` is the address from a PROXY header.
    var isNamedByProxy = false
    /// Set if it was accepted only to be refused with this reason, whatever is requested. Such a connection is not counted
    /// anywhere.
    var refusal: TurnAwayReason?
    /// True if it counts against the listener's limit of connections that are not WebSockets.
    var isPending = false
    /// Index of the loop that counts this connection, see `Admission`.
    var place = 0
    /// The peer that it counts for against the limit per address; nil for none.
    var countedPeer: Peer?
    /// The peer that the current request counts for, if a proxy named one; nil for none.
    var forwardedPeer: Peer?
    /// True once the headers of a first request have arrived.
    var hasAsked = false
    /// The subprotocol that the handler accepted, while `upgrading`.
    var subprotocol: String?

    // MARK: Client

    var clientAttempt = ClientAttempt()
    /// Carries the bytes of a connection that was dialled.
    var bridge: SocketBridge?

    /// To be called by its table only.
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

/// A request that the handler has and has not answered.
struct HTTPExchange {
    let id: HTTPRequestID
    let isHead: Bool
    /// True while the handler's `requestReceived` is on the stack: the response can be sent when it returns.
    var isInHandler = true
    /// True if reading is off, and the departure watch reports if the peer leaves.
    var isDeferred = false
    var response: HTTPResponse?
}

/// Progress of an outbound connection attempt.
struct ClientAttempt {
    /// Numeric addresses, or `+path`, that have not been tried yet.
    var addresses: [String] = []
    /// `lws_client_connect_via_info` is on the stack: it may destroy the socket before it returns.
    var isStarting = false
    var diedWhileStarting = false
    /// Outcome of the last address tried.
    var failure: CloseReason?
    var subprotocol: String?
}
