internal import CLibwebsockets

/// What this turn sends to the connections of servers. It goes out when the turn ends, in one write for each connection; what goes to
/// many thousands, in parts, at the end of several turns (`EventLoop.sendRuns`).
///
/// A *run* is the messages that a connection is to get, in order, and is a node of a tree: the run before and one message more. The
/// connections that get the same stand at the same node. So a message for thousands costs each of them a step in the tree, no
/// queue, and no copy: what several messages come to is copied together once for all who stand there.
@safe struct TurnOutbox: ~Copyable {
    /// A run with more is written at once: by then a copy costs more than a system call. So is one larger message: snapshots for
    /// thousands would stand side by side until the turn ends.
    static let runBytesMax = 64 << 10

    /// So many different messages are kept for those who are still to be written to, and so many bytes of them.
    private static let keptMessagesMax = 1_024
    private static let keptBytesMax = 16 << 20
    /// The list of a rest gives back its memory where it was longer.
    private static let keptRoomMax = 1_024

    /// Names a run, until everybody was written to.
    typealias Run = Int
    static let nothing: Run = 0

    private struct Node {
        let before: Run
        /// Nil for the run of nothing.
        let message: OutgoingMessage?
        /// Of all frames.
        let bytes: Int
        /// Where the connection before this one went from here.
        var next = TurnOutbox.nothing
        var nextMessage: ObjectIdentifier?
    }

    private var nodes = [Node(before: nothing, message: nil, bytes: 0)]
    private var keptBytes = 0
    /// Each that was given something since the last end of a turn, once.
    private(set) var connections: [Connection] = []
    /// Those from before, in the order in which they are written to.
    private var rest: [Connection] = []
    private var restStart = 0
    /// The frames of `gathered`. Who gets the same mostly stands together in `connections`.
    private let frames: UnsafeMutableRawBufferPointer
    private var gathered = nothing

    init() {
        let headroom = Int(CLWS_PRE)
        let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: headroom + Self.runBytesMax, alignment: 16)
        unsafe frames = UnsafeMutableRawBufferPointer(rebasing: storage[headroom...])
    }

    deinit {
        unsafe (frames.baseAddress! - Int(CLWS_PRE)).deallocate()
    }

    func bytes(of run: Run) -> Int { nodes[run].bytes }

    mutating func add(_ message: OutgoingMessage, to connection: Connection) {
        if !connection.isWrittenTo {
            connection.isWrittenTo = true
            connections.append(connection)
        }
        connection.run = follow(connection.run, message)
    }

    private mutating func follow(_ run: Run, _ message: OutgoingMessage) -> Run {
        let wanted = ObjectIdentifier(message)
        if nodes[run].nextMessage == wanted { return nodes[run].next }
        nodes.append(Node(before: run, message: message, bytes: nodes[run].bytes + message.frameCount))
        keptBytes += message.frameCount
        nodes[run].next = nodes.count - 1
        nodes[run].nextMessage = wanted
        return nodes.count - 1
    }

    /// The messages of a run, in order.
    func messages(of run: Run) -> [OutgoingMessage] {
        var messages: [OutgoingMessage] = []
        var run = run
        while let message = nodes[run].message {
            messages.append(message)
            run = nodes[run].before
        }
        return messages.reversed()
    }

    /// The frames of a run, in order; valid until the next call.
    mutating func frames(of run: Run) -> UnsafeMutableRawBufferPointer {
        if nodes[run].before == Self.nothing, let message = nodes[run].message { return unsafe message.frame }
        let bytes = nodes[run].bytes
        if gathered != run {
            gathered = run
            var end = bytes
            var run = run
            while let message = nodes[run].message {
                end -= message.frameCount
                unsafe UnsafeMutableRawBufferPointer(rebasing: frames[end...]).copyMemory(
                    from: UnsafeRawBufferPointer(message.frame))
                run = nodes[run].before
            }
        }
        return unsafe UnsafeMutableRawBufferPointer(rebasing: frames[..<bytes])
    }

    var restCount: Int { rest.count - restStart }

    /// What is kept is not to become more.
    var isFull: Bool { nodes.count > Self.keptMessagesMax || keptBytes > Self.keptBytesMax }

    /// Those who were given something since the last end of a turn.
    mutating func takeConnections() -> [Connection] {
        let taken = connections
        connections = []
        for connection in taken { connection.isWrittenTo = false }
        return taken
    }

    /// They stand behind those from before; who is one of those keeps his place.
    mutating func addToRest(_ connections: [Connection]) {
        if restStart > restCount {
            rest.removeFirst(restStart)
            restStart = 0
        }
        for connection in connections where !connection.isInRest {
            connection.isInRest = true
            rest.append(connection)
        }
    }

    mutating func takeFromRest() -> Connection {
        let connection = rest[restStart]
        connection.isInRest = false
        restStart += 1
        return connection
    }

    /// Once everybody was written to; does nothing before.
    mutating func clear() {
        guard restCount == 0 else { return }
        rest.removeAll(keepingCapacity: rest.count <= Self.keptRoomMax)
        restStart = 0
        guard connections.isEmpty else { return }
        keptBytes = 0
        nodes.removeSubrange(1...)
        nodes[0].next = Self.nothing
        nodes[0].nextMessage = nil
        gathered = Self.nothing
    }
}
