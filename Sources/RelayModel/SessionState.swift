package import RelayProtocol

/// The relay's state of a session besides its events: the summary that people see, and the values needed to reduce the next event.
///
/// `reduce` is in `SessionView+Reduce.swift`. The store keeps the state encoded as `bytes`, so that a start needs no replay.
package struct SessionState: Sendable, Equatable {
    package var summary: Summary
    /// The host's number of the last event that is in the log.
    package var hostSeq: Int64 = 0
    /// Bytes of the session's events in the log; after a trim, estimated in proportion to the remaining events.
    package var eventBytes: Int64 = 0
    /// Time at which the relay last received an event, in milliseconds since 1970, by the clock that retention uses: hosts' clocks
    /// may be wrong.
    package var touchedAt: Int64 = 0

    /// Cost and tokens of earlier runs; those of the current run are added to them.
    var pastCostMicroUSD: Int64 = 0
    var pastEstimateMicroUSD: Int64 = 0
    var pastTokens = Tokens()
    /// The current run, and below it the usage that it has reported so far.
    var run: String?
    var runCostMicroUSD: Int64 = 0
    var runEstimateMicroUSD: Int64 = 0
    var runTokens = Tokens()
    /// Subagents that have started and not finished.
    var subagents: Set<String> = []
    /// The agent's own last reported status; shown only if no approval is pending.
    var agentStatus = SessionStatus.starting
    var agentReason: String?
    /// The agent's current operation; shown only if no question is pending.
    var agentOperation: String?
    /// The tool call that `agentOperation` is about.
    var currentCall: String?
    /// Memory of the steering offer, kept here because the offer is large and its size is read with every message.
    var offerBytes = 0

    /// Steering commands without an outcome; at most `WireLimits.steeringOpenMax`.
    package internal(set) var openSteering: [SteeringName] = []

    package var seq: Int64 { summary.seq }

    /// The session's host, and the last event of that host's numbering that was accepted. Mutating as `kept` is.
    mutating func standing() -> (host: HostID, hostSeq: Int64) { (summary.host.id, hostSeq) }

    /// Records that the host is connected, and that its events up to this number were accepted.
    package mutating func took(through hostSeq: Int64) {
        self.hostSeq = hostSeq
        summary.hostIsConnected = true
    }

    package init(summary: Summary) {
        self.summary = summary
        offerBytes = summary.steering?.memoryBytes ?? 0
    }

    package mutating func offer(_ steering: SteeringOffer?) {
        summary.steering = steering
        offerBytes = steering?.memoryBytes ?? 0
    }

    package init(stored bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        summary = try Summary(from: value.required("summary"))
        offerBytes = summary.steering?.memoryBytes ?? 0
        hostSeq = try value.integer("hostSeq")
        eventBytes = try value.optionalInteger("eventBytes") ?? 0
        touchedAt = try value.optionalInteger("touchedAt") ?? summary.lastActivityAt
        try readUsage(from: value)
        for agent in try value.array("subagents") { subagents.insert(try agent.string()) }
        agentStatus = try value.word("agentStatus")
        currentCall = try value.optionalString("currentCall")
        if value.optional("openSteering") != nil {
            for entry in try value.array("openSteering") { openSteering.append(try SteeringName(from: entry)) }
        }
        // Records of earlier versions have no "agent" field: their agent's status is the one that was shown.
        let isKept = value.optional("agent") != nil
        agentReason = isKept ? try value.required("agent").optionalString("reason") : summary.statusReason
        agentOperation = isKept ? try value.required("agent").optionalString("operation") : summary.operation
    }

    /// Cost and tokens as JSON, which are kept when retention removes the session; empty if there are none.
    package var usage: [UInt8] {
        guard summary.costMicroUSD != nil || summary.estimateMicroUSD != nil || summary.tokens != nil else { return [] }
        return JSONWriter.object { writer in
            writer.field("costMicroUSD", summary.costMicroUSD)
            writer.field("estimateMicroUSD", summary.estimateMicroUSD)
            if let tokens = summary.tokens { writer.object("tokens") { tokens.write(to: &$0) } }
            writeUsage(to: &writer)
        }
    }

    /// Continues from the usage of a session that was removed. Usage that does not decode is ignored: counting starts again.
    package mutating func resume(usage bytes: [UInt8]) {
        guard !bytes.isEmpty, let resumed = try? resumed(usage: bytes) else { return }
        self = resumed
    }

    private func resumed(usage bytes: [UInt8]) throws(WireError) -> SessionState {
        let value = try JSONDocument(parsing: bytes).root.object()
        var resumed = self
        try resumed.readUsage(from: value)
        resumed.summary.costMicroUSD = try value.optionalInteger("costMicroUSD")
        resumed.summary.estimateMicroUSD = try value.optionalInteger("estimateMicroUSD")
        if let tokens = value.optional("tokens") { resumed.summary.tokens = try Tokens(from: tokens) }
        return resumed
    }

    /// Initial capacity in bytes: enough for most states, with a title and a folder.
    private static let room = 1_200

    package var bytes: [UInt8] {
        JSONWriter.object(room: Self.room) { writer in
            writer.object("summary") { summary.write(to: &$0) }
            writer.field("hostSeq", hostSeq)
            writer.field("eventBytes", eventBytes)
            writer.field("touchedAt", touchedAt)
            writeUsage(to: &writer)
            writer.strings("subagents", subagents.isEmpty ? [] : subagents.sorted())
            writer.field("agentStatus", agentStatus.rawValue)
            writer.field("currentCall", currentCall)
            if !openSteering.isEmpty {
                writer.array("openSteering", openSteering.map { name in JSONWriter.object { name.write(to: &$0) } })
            }
            writer.object("agent") {
                $0.field("reason", agentReason)
                $0.field("operation", agentOperation)
            }
        }
    }

    private func writeUsage(to writer: inout JSONWriter) {
        writer.field("pastCostMicroUSD", pastCostMicroUSD)
        writer.field("pastEstimateMicroUSD", pastEstimateMicroUSD > 0 ? pastEstimateMicroUSD : nil)
        writer.object("pastTokens") { pastTokens.write(to: &$0) }
        writer.field("run", run)
        writer.field("runCostMicroUSD", runCostMicroUSD)
        writer.field("runEstimateMicroUSD", runEstimateMicroUSD > 0 ? runEstimateMicroUSD : nil)
        writer.object("runTokens") { runTokens.write(to: &$0) }
    }

    private mutating func readUsage(from value: JSONValue) throws(WireError) {
        pastCostMicroUSD = try value.integer("pastCostMicroUSD")
        pastEstimateMicroUSD = try value.optionalInteger("pastEstimateMicroUSD") ?? 0
        pastTokens = try Tokens(from: value.required("pastTokens"))
        run = try value.optionalString("run")
        runCostMicroUSD = try value.integer("runCostMicroUSD")
        runEstimateMicroUSD = try value.optionalInteger("runEstimateMicroUSD") ?? 0
        runTokens = try Tokens(from: value.required("runTokens"))
    }
}
