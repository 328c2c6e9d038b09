import RelayProtocol

/// One connection of a node to the database. Its process there has the node's name, and outlives the node's interest for as long as
/// a transaction takes.
final class DatabaseConnection {
    /// Each active workspace has connections of its own.
    enum Purpose: Hashable {
        case look, lease, entrants
        case log(WorkspaceID)
        case reads(WorkspaceID)
    }

    let holder: String
    let purpose: Purpose
    private(set) var isOpen = true
    /// True if its node has closed it. The database may not have noticed: until then the node counts as connected.
    private(set) var isGivenUp = false
    /// Called once, for the caller that waits for an answer.
    var whenClosed: (() -> Void)?

    init(holder: String, purpose: Purpose) {
        self.holder = holder
        self.purpose = purpose
    }

    func giveUp() {
        isGivenUp = true
        whenClosed = nil
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        whenClosed?()
        whenClosed = nil
    }
}
