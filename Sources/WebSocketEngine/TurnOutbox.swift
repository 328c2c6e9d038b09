internal import CHeliographLibwebsockets

/// The present turn's output to the connections of servers. It is sent when the turn ends, in one write for each connection; output to many
/// thousands in parts, at the end of several turns (`EventLoop.sendBatches`).
///
/// A *batch* is the messages of a connection, in order, and is a node of a tree: the batch before and one message more. Connections with
/// the same messages share a node. So a message for thousands costs each of them a step in the tree, no queue and no copy: several messages
/// are concatenated once for all connections at the node.
@safe struct TurnOutbox: ~Copyable {
    /// Largest batch; a larger one is written at once, because then a copy costs more than a system call. So is a single larger
    /// message: snapshots for thousands of connections would otherwise all be kept until the turn ends.
    static let batchBytesMax = 64 << 10

    /// Most messages, and bytes of them, that are kept for recipients who have not been written to.
    private static let keptMessagesMax = 1_024
    private static let keptBytesMax = 16 << 20
    /// The list of left-over recipients frees its memory if it was longer than this.
    private static let keptRoomMax = 1_024

    /// Names a batch, until all recipients were written to.
    typealias Batch = Int32
    static let nothing: Batch = 0

    private struct Node {
        let before: Batch
        /// Nil for the empty batch.
        let message: OutgoingMessage?
        /// Length of all frames together.
        let bytes: Int
        /// Node to which the previous connection went from here.
        var next = TurnOutbox.nothing
        var nextMessage: ObjectIdentifier?
    }

    private var nodes = [Node(before: nothing, message: nil, bytes: 0)]
    private var keptBytes = 0
    /// Recipients added since the end of the last turn, each once.
    private var new: [UInt64] = []
    /// Recipients left over from earlier turns, in the order in which they are written to.
    private var rest: [UInt64] = []
    private var restStart = 0
    /// The frames of the batch `gathered`: connections with the same batch mostly follow one another.
    private let frames: UnsafeMutableRawBufferPointer
    private var gathered = nothing

    init() {
        let headroom = Int(CLWS_PRE)
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: headroom + Self.batchBytesMax, alignment: 16)
        unsafe frames = UnsafeMutableRawBufferPointer(rebasing: storage[headroom...])
    }

    deinit {
        unsafe (frames.baseAddress! - Int(CLWS_PRE)).deallocate()
    }

    func bytes(of batch: Batch) -> Int { nodes[Int(batch)].bytes }

    /// Adds the message for each recipient that is ready and has room, in order. Returns the others; unknown ones are skipped.
    mutating func add(
        _ message: OutgoingMessage, toReady recipients: some Sequence<ConnectionID>, of slots: inout ConnectionTable.Slots
    ) -> [ConnectionID] {
        var others: [ConnectionID] = []
        // Most of them have the same batch before.
        var (from, to) = (Batch(-1), Batch(-1))
        for id in recipients {
            guard let index = slots.index(of: id.rawValue) else { continue }
            let batch = slots.all[index].batch
            guard slots.all[index].isReady, batch == from || bytes(of: batch) + message.frameCount <= Self.batchBytesMax else {
                others.append(id)
                continue
            }
            if batch != from { (from, to) = (batch, follow(batch, message)) }
            slots.all[index].batch = to
            list(index, &slots)
        }
        return others
    }

    mutating func add(_ message: OutgoingMessage, to connection: ConnectionID, of slots: inout ConnectionTable.Slots) {
        guard let index = slots.index(of: connection.rawValue) else { return }
        slots.all[index].batch = follow(slots.all[index].batch, message)
        list(index, &slots)
    }

    private mutating func list(_ index: Int, _ slots: inout ConnectionTable.Slots) {
        guard !slots.all[index].isListed else { return }
        slots.all[index].isListed = true
        new.append(slots.all[index].id)
    }

    private mutating func follow(_ batch: Batch, _ message: OutgoingMessage) -> Batch {
        let wanted = ObjectIdentifier(message)
        if nodes[Int(batch)].nextMessage == wanted { return nodes[Int(batch)].next }
        nodes.append(Node(before: batch, message: message, bytes: bytes(of: batch) + message.frameCount))
        keptBytes += message.frameCount
        nodes[Int(batch)].next = Batch(nodes.count - 1)
        nodes[Int(batch)].nextMessage = wanted
        return Batch(nodes.count - 1)
    }

    /// The messages of a batch, in order.
    func messages(of batch: Batch) -> [OutgoingMessage] {
        var messages: [OutgoingMessage] = []
        var batch = batch
        while let message = nodes[Int(batch)].message {
            messages.append(message)
            batch = nodes[Int(batch)].before
        }
        return messages.reversed()
    }

    /// The frames of a batch, in order; valid until the next call.
    mutating func frames(of batch: Batch) -> UnsafeMutableRawBufferPointer {
        if nodes[Int(batch)].before == Self.nothing, let message = nodes[Int(batch)].message { return unsafe message.frame }
        let bytes = nodes[Int(batch)].bytes
        if gathered != batch {
            gathered = batch
            var end = bytes
            var batch = batch
            while let message = nodes[Int(batch)].message {
                end -= message.frameCount
                unsafe UnsafeMutableRawBufferPointer(rebasing: frames[end...]).copyMemory(
                    from: UnsafeRawBufferPointer(message.frame))
                batch = nodes[Int(batch)].before
            }
        }
        return unsafe UnsafeMutableRawBufferPointer(rebasing: frames[..<bytes])
    }

    var newCount: Int { new.count }
    var restCount: Int { rest.count - restStart }

    /// True if no more output may be kept for a later turn.
    var isFull: Bool { nodes.count > Self.keptMessagesMax || keptBytes > Self.keptBytesMax }

    /// Removes and returns the recipients added since the last end of a turn.
    mutating func takeNew(of slots: inout ConnectionTable.Slots) -> [UInt64] {
        let taken = new
        new = []
        new.reserveCapacity(min(taken.count, Self.keptRoomMax))
        for id in taken {
            if let index = slots.index(of: id) { slots.all[index].isListed = false }
        }
        return taken
    }

    /// Appends connections to the left-over recipients. One that is already among them keeps its place.
    mutating func addToRest(_ ids: [UInt64], of slots: inout ConnectionTable.Slots) {
        if restStart > restCount {
            rest.removeFirst(restStart)
            restStart = 0
        }
        for id in ids {
            guard let index = slots.index(of: id), !slots.all[index].isInRest else { continue }
            slots.all[index].isInRest = true
            rest.append(id)
        }
    }

    /// Removes and returns the next `count` left-over recipients.
    mutating func takeFromRest(_ count: Int, of slots: inout ConnectionTable.Slots) -> ArraySlice<UInt64> {
        let taken = rest[restStart...].prefix(count)
        restStart += taken.count
        for id in taken {
            if let index = slots.index(of: id) { slots.all[index].isInRest = false }
        }
        return taken
    }

    /// Clears everything once all recipients were written to; no effect before.
    mutating func clear() {
        guard restCount == 0 else { return }
        rest.removeAll(keepingCapacity: rest.count <= Self.keptRoomMax)
        restStart = 0
        guard new.isEmpty else { return }
        keptBytes = 0
        nodes.removeSubrange(1...)
        nodes[0].next = Self.nothing
        nodes[0].nextMessage = nil
        gathered = Self.nothing
    }
}
