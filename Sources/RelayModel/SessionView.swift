package import RelayProtocol

/// A session at one moment: its state, and its approvals that are open or were resolved lately.
package struct SessionView {
    /// Shared between views until one is changed (copy on write): a view is kept with every tick and changed with every event, and
    /// a state is large.
    private var shared: SharedState
    package var approvals = ApprovalBook()

    private final class SharedState {
        var state: SessionState
        init(_ state: SessionState) { self.state = state }
    }

    /// From another module this getter returns a copy of the whole state. To look at thousands of views, read only the needed part.
    package var state: SessionState {
        // Not `_read`: Swift 6.3.1 then releases the yielded value too early.
        get { shared.state }
        _modify {
            if !isKnownUniquelyReferenced(&shared) { shared = SharedState(shared.state) }
            yield &shared.state
        }
    }

    // MARK: One part of the state

    package var summary: Summary { shared.state.summary }
    package var budget: BudgetMark? { shared.state.summary.budget }
    package var costMicroUSD: Int64 { shared.state.summary.costMicroUSD ?? 0 }
    package var spent: CostSum { shared.state.summary.spent }
    package var seq: Int64 { shared.state.seq }
    package var hostSeq: Int64 { shared.state.hostSeq }
    package var eventBytes: Int64 { shared.state.eventBytes }
    package var keptBytes: Int { kept.bytes }
    package var touchedAt: Int64 { shared.state.touchedAt }
    package var lastActivityAt: Int64 { shared.state.summary.lastActivityAt }
    package var endedAt: Int64? { shared.state.summary.endedAt }
    package var sessionID: SessionID { shared.state.summary.session }
    package var steering: SteeringOffer? { shared.state.summary.steering }
    package var openSteering: [SteeringName] { shared.state.openSteering }
    package var hostID: HostID { shared.state.summary.host.id }
    package var hostIsConnected: Bool { shared.state.summary.hostIsConnected }

    /// Called when a host connects or disconnects, for each of its sessions, which may be thousands.
    package mutating func hostChanged(to host: Named<HostTag>, isConnected: Bool) {
        state.summary.hostIsConnected = isConnected
        state.summary.host = host
    }

    // Defined in this module, with direct access to the state: from another module each access allocates.
    package mutating func took(through hostSeq: Int64) { state.took(through: hostSeq) }

    // Several values from one access to the state: with each access the runtime checks that it is not being changed already.
    package var kept: (bytes: Int, events: Int64, host: HostID) { shared.state.kept() }
    package var standing: (host: HostID, hostSeq: Int64) { shared.state.standing() }

    package init(state: SessionState) { shared = SharedState(state) }
}
