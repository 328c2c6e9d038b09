package import RelayProtocol

/// One process of an agent. The time of its start distinguishes it from a later process with the same number.
package struct AgentProcess: Hashable, Sendable {
    package var id: Int32
    /// Time of its start, in the kernel's ticks since boot; 0 if it could not be read.
    package var startedAt: UInt64

    package init(id: Int32, startedAt: UInt64) {
        self.id = id
        self.startedAt = startedAt
    }

    /// Names one run of the agent on the wire.
    package var run: String { "\(id)-\(startedAt)" }

    // MARK: In notes

    /// Nil if the note has no process.
    package init?(from note: JSONValue) {
        guard let id = note.whole("pid").flatMap({ Int32(exactly: $0) }) else { return nil }
        self.init(id: id, startedAt: note.text("started").flatMap { UInt64($0) } ?? 0)
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("pid", Int64(id))
        // A string, because ticks may exceed a JSON number one day.
        writer.field("started", String(startedAt))
    }
}
