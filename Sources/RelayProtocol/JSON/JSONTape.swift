/// The values of one JSON text in order, each with its start and end.
///
/// An array would check for shared storage with each value that is added or closed, which was a fifth of the parser's time.
@safe struct JSONTape: ~Copyable, @unchecked Sendable {
    // Sendable, as nothing changes it after the parser has returned it.
    /// Memory for `room` nodes, of which the first `count` are initialised; a node is trivial, so none has to be deinitialised.
    private var nodes: UnsafeMutablePointer<JSONNode>
    private(set) var room: Int
    private(set) var count = 0
    private let roomMax: Int

    /// Allocates for a text of `byteCount` bytes: at first for the nodes of a usual message, and at most for as many as any text of
    /// this length has.
    init(byteCount: Int) {
        roomMax = Self.roomMax(byteCount: byteCount)
        room = min(roomMax, max(Self.roomMin, byteCount / Self.bytesForEachNode))
        unsafe nodes = .allocate(capacity: room)
    }

    /// The largest number of values in a text of this length: each takes a byte and its own comma, colon or bracket, except for the
    /// first in each container that is still open.
    static func roomMax(byteCount: Int) -> Int { byteCount / 2 + JSONDocument.depthMax + 1 }

    private static let roomMin = 16
    /// Average in our own messages.
    private static let bytesForEachNode = 12

    deinit { unsafe nodes.deallocate() }

    subscript(index: Int) -> JSONNode {
        @inline(__always) get {
            precondition(index >= 0 && index < count, "no such place on the tape")
            return unsafe nodes[index]
        }
        @inline(__always) set {
            precondition(index >= 0 && index < count, "no such place on the tape")
            unsafe nodes[index] = newValue
        }
    }

    @inline(__always)
    mutating func append(_ node: JSONNode) {
        if count == room { grow() }
        unsafe (nodes + count).initialize(to: node)
        count += 1
    }

    @inline(never)
    private mutating func grow() {
        precondition(room < roomMax, "a text has no more values than it has room for")
        room = min(2 * room, roomMax)
        let more = UnsafeMutablePointer<JSONNode>.allocate(capacity: room)
        unsafe more.initialize(from: nodes, count: count)
        unsafe nodes.deallocate()
        unsafe nodes = unsafe more
    }
}
