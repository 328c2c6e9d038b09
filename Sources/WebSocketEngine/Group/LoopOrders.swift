/// Orders of a group's main loop for the connections of another loop, in order.
struct LoopOrders: Sendable {
    enum Order: Sendable {
        /// Send to the next `recipients` entries of the list, which follow those of the order before.
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
    /// Message of the last recipients, until another order follows.
    private var open: OutgoingMessage?
    private var openCount = 0

    var isEmpty: Bool { orders.isEmpty && open == nil }

    /// For each of thousands of recipients of a message this costs a comparison and eight bytes.
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

    /// Completes the last order; needed before the orders are carried out.
    mutating func seal() {
        guard let message = open else { return }
        orders.append(.send(message, recipients: openCount))
        open = nil
        openCount = 0
    }

    /// Appends later orders. Both must be sealed.
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
    /// To be carried out on the loop that owns the connections.
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
