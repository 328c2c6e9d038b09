import RelayModel

/// The order in which reads of the log are begun: clients take turns, and few reads are under way at once. So whoever asks for hundreds of pages
/// delays another's one page by as many as are under way, and a turn of the core delivers no more than those.
struct ReadTurns {
    private var turns = Turns<ReadID>()
    /// In one queue or several, and not begun.
    private var waiting: Set<ReadID> = []
    private(set) var underWay: Set<ReadID> = []

    var waitingCount: Int { waiting.count }

    /// A read that several clients wait for is in the queue of each: the first whose turn comes begins it.
    mutating func add(_ read: ReadID, of client: ClientKey) {
        turns.add(read, of: client)
        waiting.insert(read)
    }

    /// The next to begin; nil if none waits, or enough are under way.
    mutating func next() -> ReadID? {
        guard underWay.count < Limits.readsAtOnceMax else { return nil }
        while let read = turns.next() {
            // Else another client's turn came first.
            if waiting.remove(read) != nil {
                underWay.insert(read)
                return read
            }
        }
        return nil
    }

    mutating func ended(_ read: ReadID) { underWay.remove(read) }

    /// Nobody waits for these any more. They were asked for by this client, and by nobody else who is left.
    mutating func forget(_ reads: Set<ReadID>, of client: ClientKey) {
        waiting.subtract(reads)
        turns.remove(of: client) { reads.contains($0) }
    }
}
