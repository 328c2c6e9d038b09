package import RelayProtocol

/// The approvals whose end was read, so that no report after it is shown. Logs of older relays hold such reports.
package struct ApprovalEnds {
    private struct Name: Equatable {
        let session: SessionID
        let approval: ApprovalID
    }

    /// A host that was restarted makes its reports at once: not many other ends come between.
    private static let namesMax = 1_024

    /// Oldest first.
    private var names: [Name] = []

    package init() {}

    /// Remembers the end that this event is.
    package mutating func isAfterEnd(_ event: EventText, of session: SessionID) -> Bool {
        guard let approval = event.approval else { return false }
        let name = Name(session: session, approval: approval)
        if names.contains(name) { return true }
        guard event.isApprovalsEnd else { return false }
        names.append(name)
        if names.count > Self.namesMax { names.removeFirst() }
        return false
    }
}
