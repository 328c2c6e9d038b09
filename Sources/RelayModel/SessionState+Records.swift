package import RelayProtocol

/// What an event leaves on disk besides itself: a row for each approval, and lines in the audit log. Nothing but the removal of the session makes
/// room for the one, and nothing for the other.
///
/// The stores write both, so these are estimates, rather too large than too small.
extension SessionState {
    /// A row's columns besides the record, and a line's fields besides those that hosts and people fill.
    private static let rowBytes: Int64 = 128
    private static let lineBytes: Int64 = 512
    /// Of a prompt's text the log has the digest.
    private static let steeringBytesMax: Int64 = 8 << 10

    /// `approval`: as the event has left it; nil if it changed none. Nil: nothing.
    static func recordBytes(of event: Event, changing approval: Approval?) -> (approval: Int64, audit: Int64)? {
        guard let approval else { return steeringBytes(of: event).map { (0, lineBytes + $0) } }
        var row: Int64 = 0
        if case .approvalRequested = event.head { row = rowBytes + Int64(approval.bytes.count) }
        return (row, lineBytes + bytes(of: approval))
    }

    mutating func records(_ bytes: (approval: Int64, audit: Int64)) {
        approvalBytes += bytes.approval
        auditBytes += bytes.audit
    }

    /// Events that are read again add nothing to what is on disk.
    package mutating func take(recordsOf other: SessionState) {
        (approvalBytes, auditBytes) = (other.approvalBytes, other.auditBytes)
    }

    private static func bytes(of approval: Approval) -> Int64 {
        let line = JSONWriter.object { writer in
            writer.field("tool", approval.request.tool)
            writer.field("title", approval.request.title)
            writer.field("reason", approval.stage.reason)
            if let decision = approval.decision { writer.object("decision") { decision.write(to: &$0) } }
        }
        // Some controls take six bytes in the log.
        return Int64(line.count + 4 * line.count { $0 == 0xC2 || $0 == 0xE2 })
    }

    private static func steeringBytes(of event: Event) -> Int64? {
        switch event.head {
        case .steeringRequested: min(Int64(event.bytes.count), steeringBytesMax)
        case .steeringChanged(let change) where change.stage.isFinal: Int64(change.reason?.utf8.count ?? 0)
        case .steeringTyped: 0
        default: nil
        }
    }

    /// The bytes that the audit log has of a removed session.
    package static func auditBytes(ofUsage bytes: [UInt8]) -> Int64 {
        guard !bytes.isEmpty, let value = try? JSONDocument(parsing: bytes).root else { return 0 }
        return (try? value.optionalInteger("auditBytes")) ?? 0
    }
}

extension EventHead {
    /// True if it begins what the audit log keeps: a host may report any number.
    package var beginsRecords: Bool {
        switch self {
        case .approvalRequested, .steeringRequested, .steeringTyped: true
        default: false
        }
    }
}
