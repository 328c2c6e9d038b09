/// One connection of a node to the database: its process there is called after the node's, and outlives the node's word for as long as a
/// transaction takes.
final class DatabaseConnection {
    let holder: String
    private(set) var isOpen = true
    /// Told once, to the caller that waits for an answer.
    var whenClosed: (() -> Void)?

    init(holder: String) { self.holder = holder }

    func close() {
        guard isOpen else { return }
        isOpen = false
        whenClosed?()
        whenClosed = nil
    }
}
