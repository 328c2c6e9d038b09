/// A question that the agent cannot go on without, and its progress.
package struct Approval: Sendable {
    package let session: SessionID
    package let request: ApprovalRequest
    /// The `approval.requested` event as the host wrote it.
    package let requestBytes: [UInt8]
    package let requestedAt: Int64
    /// Time at which the host stops waiting, by the relay's clock, in milliseconds since 1970: hosts' clocks may be wrong.
    package var expiresAt: Int64?
    /// Number of the last event that changed this approval.
    package var seq: Int64
    package var stage = ApprovalStage.pending

    package var id: ApprovalID { request.approval }
    /// The decision, if there is one.
    package var decision: Decision? { stage.given?.decision }

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
        stage = try ApprovalStage(from: value)
    }

    package var bytes: [UInt8] { JSONWriter.object { write(to: &$0) } }

    package func write(to writer: inout JSONWriter) {
        writer.field("approval", id)
        writer.field("session", session)
        writer.field("seq", seq)
        writer.field("stage", stage.word.rawValue)
        writer.field("requestedAt", requestedAt)
        writer.field("expiresAt", expiresAt)
        writer.raw("request", requestBytes)
        stage.write(to: &writer)
    }
}
