import RelayProtocol

/// A receiver at one moment, for the operator.
struct ReceiverState: Sendable {
    let name: String
    var waiting: Int
    var running: Int
    var accepted: Int64
    /// Why its last push was not taken; nil: it was.
    var trouble: String?

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("name", name)
            writer.field("waiting", Int64(waiting))
            writer.field("running", Int64(running))
            writer.field("accepted", accepted)
            writer.field("trouble", trouble)
        }
    }
}
