package import RelayProtocol

/// The approvals whose end was read, so that later reports about them are not shown. Logs of older relays contain such reports.
package struct ApprovalEnds {
    private struct Name: Equatable {
        let session: SessionID
        let approval: ApprovalID
    }

    /// Ends that are remembered. A restarted host makes its reports at once, with few other ends in between.
    private static let namesMax = 1_024

    /// The approvals, oldest first.
    private var names: [Name] = []

    package init() {}

    /// Returns true if the event follows its approval's end; remembers the end if it is one.
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
