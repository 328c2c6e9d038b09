/// Orders of a group's main loop for the connections of another loop, in order.
struct LoopOrders: Sendable {
    enum Order: Sendable {
        /// To so many of `recipients`: those that follow on the ones of the order before.
        case send(OutgoingMessage, recipients: Int)
        case close(ConnectionID, code: UInt16, reason: String)
        case cutOff(ConnectionID, code: UInt16, reason: String)
        case pauseReading(ConnectionID)
        case resumeReading(ConnectionID)
        case respond(HTTPRequestID, HTTPResponse)
        case renewCertificate(ListenerConfiguration.TLS)
        /// Reports the connection's unsent bytes.
        case weigh(ConnectionID, @Sendable (Int) -> Void)
    }

    private(set) var orders: [Order] = []
    private(set) var recipients: [ConnectionID] = []
    /// Message of the last recipients, until an order of another kind follows.
    private var open: OutgoingMessage?
    private var openCount = 0

    var isEmpty: Bool { orders.isEmpty && open == nil }

    /// A message for thousands costs each a comparison and eight bytes.
    mutating func send(_ message: OutgoingMessage, to connection: ConnectionID) {
        if open !== message {
            seal()
            open = message
        }
        openCount += 1
        recipients.append(connection)
    }

    mutating func add(_ order: Order) {
        seal()
        orders.append(order)
    }

    /// Before they are carried out.
    mutating func seal() {
        guard let message = open else { return }
        orders.append(.send(message, recipients: openCount))
        open = nil
        openCount = 0
    }

    /// Both must be sealed.
    mutating func append(_ later: LoopOrders) {
        if isEmpty {
            self = later
        } else {
            orders += later.orders
            recipients += later.recipients
        }
    }
}

extension EventLoop {
    /// Called on the main loop of its group.
    func carryOut(_ orders: LoopOrders) {
        var next = 0
        for order in orders.orders {
            switch order {
            case .send(let message, let count):
                send(message, to: orders.recipients[next..<next + count])
                next += count
            case .close(let connection, let code, let reason): close(connection, code: code, reason: reason)
            case .cutOff(let connection, let code, let reason): cutOff(connection, code: code, reason: reason)
            case .pauseReading(let connection): pauseReading(connection)
            case .resumeReading(let connection): resumeReading(connection)
            case .respond(let request, let response): respond(to: request, response)
            case .renewCertificate(let tls): renewCertificate(tls)
            case .weigh(let connection, let answer): answer(outboxBytes(of: connection))
            }
        }
    }
}
