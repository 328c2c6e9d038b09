import RelayModel

/// The order in which reads of the log begin: clients take turns, and few reads are under way at once. So a client that requests
/// hundreds of pages delays another's one page by at most those under way, and one turn of the core delivers no more than those.
struct ReadTurns {
    private var turns = Turns<ReadID>()
    /// Reads in one queue or several that have not begun.
    private var waiting: Set<ReadID> = []
    private(set) var underWay: Set<ReadID> = []
    /// Still in a queue, and nobody waits for them: a search for those of each connection would make a long turn of hundreds that end together.
    private var forgotten: Set<ReadID> = []

    var waitingCount: Int { waiting.count }

    /// Queues a read. If several clients wait for it, it is in the queue of each, and the first whose turn comes begins it.
    mutating func add(_ read: ReadID, of client: ClientKey) {
        turns.add(read, of: client)
        waiting.insert(read)
    }

    /// The next read to begin; nil if none waits, or enough are under way.
    mutating func next() -> ReadID? {
        guard underWay.count < Limits.readsAtOnceMax else { return nil }
        while let read = turns.next() {
            if waiting.remove(read) != nil {
                underWay.insert(read)
                return read
            }
            // Else another client's turn came first, or it was forgotten.
            forgotten.remove(read)
        }
        return nil
    }

    mutating func ended(_ read: ReadID) { underWay.remove(read) }

    /// Nobody waits for these any more. Queues hold at most twice as many as are waited for.
    mutating func forget(_ reads: Set<ReadID>) {
        waiting.subtract(reads)
        forgotten.formUnion(reads)
        guard forgotten.count > waiting.count else { return }
        turns.remove(forgotten.contains)
        forgotten = []
    }

    /// Of all queues.
    var queuedCount: Int { turns.count }
}
