/// A person's wish that a device is silent about a session for a time.
package struct TimedMute: Sendable, Equatable {
    /// Milliseconds since 1970. What still waits then rings.
    package var until: Int64
    /// The approvals that it is silent about: another one rings at once. Nil: all of the session's.
    package var asked: [ApprovalID]?

    package init(until: Int64, asked: [ApprovalID]? = nil) {
        self.until = until
        self.asked = asked
    }

    init(from value: JSONValue) throws(WireError) {
        until = try value.integer("until")
        guard value.optional("asked") != nil else { return }
        var asked: [ApprovalID] = []
        for entry in try value.array("asked", countMax: WireLimits.mutedApprovalsMax) {
            let approval: ApprovalID = try entry.identifier()
            asked.append(approval)
        }
        self.asked = asked
    }

    func write(to writer: inout JSONWriter) {
        writer.field("until", until)
        if let asked { writer.strings("asked", asked.map(\.rawValue)) }
    }
}
