/// The values of one JSON text in their order, each with where it begins and ends.
///
/// An array would ask with each value that is added or closed whether it is anybody else's, which was a fifth of what parsing takes.
@safe struct JSONTape: ~Copyable, @unchecked Sendable {
    // Sendable, as nobody changes it after the parser has handed it out.
    /// `room` nodes, of which the first `count` are initialised; a node is trivial, so none has to be deinitialised.
    private var nodes: UnsafeMutablePointer<JSONNode>
    private var room: Int
    private(set) var count = 0

    /// `room`: for so many at first.
    init(room: Int) {
        self.room = max(1, room)
        unsafe nodes = .allocate(capacity: self.room)
    }

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
        let more = UnsafeMutablePointer<JSONNode>.allocate(capacity: 2 * room)
        unsafe more.initialize(from: nodes, count: count)
        unsafe nodes.deallocate()
        unsafe nodes = unsafe more
        room *= 2
    }
}
