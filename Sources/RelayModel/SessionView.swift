/// A session at one moment: its state, and its approvals that are open or were resolved lately.
package struct SessionView {
    /// Shared between views until one is changed: a view is kept with every tick and changed with every event, and a state is
    /// large.
    @usableFromInline var shared: SharedState
    package var approvals = ApprovalBook()

    @usableFromInline final class SharedState {
        @usableFromInline var state: SessionState
        @usableFromInline init(_ state: SessionState) { self.state = state }
    }

    /// Inlined where it is used: a call would hand over a copy of all of it for each look at one field.
    @inlinable package var state: SessionState {
        // Not `_read`: Swift 6.3.1 then lets go of what it yields too early.
        get { shared.state }
        _modify {
            if !isKnownUniquelyReferenced(&shared) { shared = SharedState(shared.state) }
            yield &shared.state
        }
    }

    package init(state: SessionState) { shared = SharedState(state) }
}
