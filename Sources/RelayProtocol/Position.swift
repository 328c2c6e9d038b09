/// A client's position in a session's log; all it needs to resume.
package struct Position: Hashable, Sendable {
    package let epoch: Epoch
    /// The last event seen; 0 before the first.
    package let seq: Int64

    package init(epoch: Epoch, seq: Int64) {
        self.epoch = epoch
        self.seq = seq
    }

    init(from value: JSONValue) throws(WireError) {
        epoch = try value.object().identifier("epoch")
        seq = try value.integer("seq")
    }

    func write(to writer: inout JSONWriter) {
        writer.field("epoch", epoch)
        writer.field("seq", seq)
    }
}
