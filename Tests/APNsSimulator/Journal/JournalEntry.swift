package import RelayProtocol

/// One line of the journal.
package struct JournalEntry: Sendable {
    package enum What: Sendable {
        case connected(ConnectionNumber, Endpoint)
        case disconnected(ConnectionNumber)
        case refusedStream(ConnectionNumber, stream: Int32, limit: Int)
        case goAway(ConnectionNumber, Reason)
        case request(RequestRecord)
        /// An outcome on a device without a push, or late: a held push applied, a card that became stale or was dismissed.
        case device(DeviceID, DeviceOutcome)
        /// A token that a device gave to its app.
        case token(DeviceToken)
    }

    /// Milliseconds since 1970.
    package let at: Int64
    package let what: What

    /// One JSON object without a line break.
    package var line: [UInt8] {
        JSONWriter.object { line in
            line.field("at", at)
            switch what {
            case .connected(let connection, let endpoint):
                line.field("kind", "connected")
                line.field("connection", Int64(connection.value))
                line.field("environment", endpoint.environment.rawValue)
                line.field("service", endpoint.service.rawValue)
            case .disconnected(let connection):
                line.field("kind", "disconnected")
                line.field("connection", Int64(connection.value))
            case .refusedStream(let connection, let stream, let limit):
                line.field("kind", "refusedStream")
                line.field("connection", Int64(connection.value))
                line.field("stream", Int64(stream))
                line.field("limit", Int64(limit))
            case .goAway(let connection, let reason):
                line.field("kind", "goAway")
                line.field("connection", Int64(connection.value))
                line.field("reason", reason.rawValue)
            case .request(let record):
                line.field("kind", "request")
                record.write(to: &line)
            case .device(let device, let outcome):
                line.field("kind", "device")
                line.field("device", device.name)
                outcome.write(to: &line)
            case .token(let token):
                line.field("kind", "token")
                token.write(to: &line)
            }
        }
    }
}

extension DeviceToken {
    package func write(to line: inout JSONWriter) {
        line.field("token", token)
        line.field("tokenKind", kind.rawValue)
        line.field("bundle", bundle)
        line.field("environment", environment.rawValue)
        line.field("device", device?.name)
        line.field("activity", activity?.name)
        switch state {
        case .live: line.field("state", "live")
        case .unregistered(let since), .expired(let since):
            line.field("state", state == .expired(since: since) ? "expired" : "unregistered")
            line.field("since", since)
        case .bad: line.field("state", "bad")
        case .silentlyDead: line.field("state", "silentlyDead")
        }
    }
}
