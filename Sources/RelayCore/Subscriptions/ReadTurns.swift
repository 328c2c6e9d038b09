import RelayModel

/// The order in which reads of the log are begun: clients take turns, and few reads are under way at once. So whoever asks for hundreds of pages
/// delays another's one page by as many as are under way, and a turn of the core delivers no more than those.
struct ReadTurns {
    /// Of each client, in the order in which it asked.
    private var queues: [ClientKey: [ReadID]] = [:]
    /// The clients with a queue, those first that were served longest ago.
    private var circle: [ClientKey] = []
    /// In one queue or several, and not begun.
    private var waiting: Set<ReadID> = []
    private(set) var underWay: Set<ReadID> = []

    var waitingCount: Int { waiting.count }

    /// A read that several clients wait for is in the queue of each: the first whose turn comes begins it.
    mutating func add(_ read: ReadID, of client: ClientKey) {
        if queues[client] == nil { circle.append(client) }
        queues[client, default: []].append(read)
        waiting.insert(read)
    }

    /// The next to begin; nil if none waits, or enough are under way.
    mutating func next() -> ReadID? {
        guard underWay.count < Limits.readsAtOnceMax else { return nil }
        while !circle.isEmpty {
            let client = circle.removeFirst()
            guard var queue = queues.removeValue(forKey: client) else {
                preconditionFailure("a client in the circle has a queue")
            }
            let read = queue.removeFirst()
            if !queue.isEmpty {
                queues[client] = queue
                circle.append(client)
            }
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
        guard let queue = queues[client]?.filter({ !reads.contains($0) }) else { return }
        queues[client] = queue.isEmpty ? nil : queue
        if queue.isEmpty { circle.removeAll { $0 == client } }
    }
}
