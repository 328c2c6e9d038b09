/// Progress of a steering command.
package enum SteeringStage: String, Sendable, CaseIterable {
    /// Waits at its host until the agent is free.
    case queued
    /// Given to the agent, which has not confirmed it yet.
    case given
    /// The agent's own output proves that it has taken the command.
    case taken
    /// The agent did not get it.
    case refused
    /// Withdrawn by a client while it waited.
    case withdrawn
    /// Possibly taken: there was no confirmation in time, or the host ended meanwhile.
    case unknown

    package var isFinal: Bool { self != .queued && self != .given }
}

/// A step of a steering command.
package struct SteeringChange: Sendable, Equatable {
    package var name: SteeringName
    package var stage: SteeringStage
    /// Reason for `refused` or `unknown`; for `taken`, how that is known.
    package var reason: String?
    /// For `start` and `resume`: the session that has begun.
    package var started: SessionID?
    /// For `past`: the sessions found. Content: written to the event's body, and not read back from its head.
    package var past: [PastSession]?
    /// The result of `ruleTry`: JSON, which is content as well.
    package var tried: [UInt8]?

    package init(_ name: SteeringName, _ stage: SteeringStage, reason: String? = nil, started: SessionID? = nil) {
        self.name = name
        self.stage = stage
        self.reason = reason
        self.started = started
    }

    init(from head: JSONValue) throws(WireError) {
        self.init(
            try SteeringName(from: head), try head.word("stage"),
            reason: try head.optionalString("reason", bytesMax: WireLimits.lineBytesMax),
            started: try head.optionalIdentifier("started"))
    }

    /// Writes the fields that are content.
    package func writeBody(to writer: inout JSONWriter) {
        if let past { writer.array("sessions", past.map(\.bytes)) }
        if let tried { writer.raw("tried", tried) }
    }

    package func write(to writer: inout JSONWriter) {
        name.write(to: &writer)
        writer.field("stage", stage.rawValue)
        writer.field("reason", reason)
        writer.field("started", started)
    }
}
