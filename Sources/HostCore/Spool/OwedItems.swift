internal import RelayProtocol

/// Items that could not be written and are still to be written, in order: ends that others wait for, and notes.
struct OwedItems {
    private(set) var items: [Spool.Item] = []
    private var bytes = 0
    private let bytesMax: Int

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    var eventCount: Int { items.count { if case .note = $0 { false } else { true } } }

    mutating func removeAll() { (items, bytes) = ([], 0) }

    /// Keeps the item if it can wait. Otherwise returns the session that has lost this event.
    mutating func takeIn(_ item: Spool.Item, because error: SpoolError) -> SessionID? {
        switch item {
        case .event(let session, _, _): return session
        case .owed(let session, let event):
            guard error.code != .tooLong, bytes + event.count <= bytesMax else { return session }
            owe(item, event.count)
        case .note(let key, let content):
            // Only the last note under a key counts.
            items.removeAll { owed in
                guard case .note(key, let earlier) = owed else { return false }
                bytes -= earlier?.count ?? 0
                return true
            }
            if error.code != .tooLong { owe(item, content?.count ?? 0) }
        }
        return nil
    }

    private mutating func owe(_ item: Spool.Item, _ count: Int) {
        items.append(item)
        bytes += count
    }
}
