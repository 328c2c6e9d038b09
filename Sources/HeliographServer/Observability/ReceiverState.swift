import RelayProtocol

/// State of a receiver at one time, for the operator.
struct ReceiverState: Sendable {
    let name: String
    var waiting: Int
    var running: Int
    var accepted: Int64
    /// Reason why its last push failed; nil: it did not.
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
