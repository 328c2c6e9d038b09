/// How far an approval has come.
package enum ApprovalStage: String, Sendable, CaseIterable {
    case pending, decided, delivered, applied
    case expired, cancelled, stale

    /// Nothing can happen to it any more.
    package var isFinal: Bool {
        switch self {
        case .pending, .decided, .delivered: false
        case .applied, .expired, .cancelled, .stale: true
        }
    }
}

/// A question that the agent cannot go on without, and all that became of it.
package struct Approval: Sendable {
    package let session: SessionID
    package let request: ApprovalRequest
    /// The `approval.requested` event as the host wrote it.
    package let requestBytes: [UInt8]
    package let requestedAt: Int64
    /// When the host stops waiting, by the relay's clock, in milliseconds since 1970: hosts' clocks may say anything.
    package var expiresAt: Int64?
    /// The last event that changed this.
    package var seq: Int64
    package var stage = ApprovalStage.pending
    package var decision: Decision?
    package var deliveredAt: Int64?
    package var resolvedAt: Int64?
    package var outcome: ApprovalOutcome?
    package var reason: String?

    package var id: ApprovalID { request.approval }

    package init(session: SessionID, request: ApprovalRequest, requestBytes: [UInt8], requestedAt: Int64, seq: Int64) {
        self.session = session
        self.request = request
        self.requestBytes = requestBytes
        self.requestedAt = requestedAt
        self.seq = seq
    }

    package init(from value: JSONValue) throws(WireError) {
        session = try value.object().identifier("session")
        let event = try Event(from: value.required("request"))
        guard case .approvalRequested(let request) = event.head else {
            throw WireError(.badValue, at: value.path + ".request.kind", "this must be approval.requested")
        }
        self.request = request
        requestBytes = event.bytes
        requestedAt = try value.integer("requestedAt")
        expiresAt = try value.optionalInteger("expiresAt")
        seq = try value.integer("seq")
        stage = try value.word("stage")
        if let decision = value.optional("decision") { self.decision = try Decision(from: decision) }
        deliveredAt = try value.optionalInteger("deliveredAt")
        resolvedAt = try value.optionalInteger("resolvedAt")
        if value.optional("outcome") != nil { outcome = try value.word("outcome") }
        reason = try value.optionalString("reason")
    }

    package var bytes: [UInt8] { JSONWriter.object { write(to: &$0) } }

    package func write(to writer: inout JSONWriter) {
        writer.field("approval", id)
        writer.field("session", session)
        writer.field("seq", seq)
        writer.field("stage", stage.rawValue)
        writer.field("requestedAt", requestedAt)
        writer.field("expiresAt", expiresAt)
        writer.raw("request", requestBytes)
        if let decision { writer.object("decision") { decision.write(to: &$0) } }
        writer.field("deliveredAt", deliveredAt)
        writer.field("resolvedAt", resolvedAt)
        writer.field("outcome", outcome?.rawValue)
        writer.field("reason", reason)
    }
}
