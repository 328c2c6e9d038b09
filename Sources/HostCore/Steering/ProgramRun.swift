internal import RelayProtocol

/// One run of a program that has its session steered. It distinguishes two runs for one session: one that is about to end may still
/// wait for commands meant for the one that continues the session.
///
/// A program that is steered by one script after another has no run.
package struct ProgramRun: Sendable, Hashable {
    package static let nameBytesMax = 64

    /// This run's own name, made at random.
    package let name: String
    /// Time at which it began to have the session steered, in milliseconds of the machine's monotonic clock, the same for all its
    /// programs.
    package let since: Int64

    package init(name: String, since: Int64) {
        self.name = name
        self.since = since
    }

    package func isOlder(than other: ProgramRun) -> Bool { name != other.name && since < other.since }

    func write(to writer: inout JSONWriter) {
        writer.field("name", name)
        writer.field("since", since)
    }

    init(from value: JSONValue) throws(WireError) {
        let object = try value.object()
        name = try object.string("name", bytesMax: Self.nameBytesMax)
        since = try object.integer("since")
    }
}
