internal import RelayProtocol

/// A command's note on disk, under its name. An outcome is kept until the relay has it, because a host that restarts meanwhile
/// would report another.
enum SteeringNote: Equatable {
    /// The agent may have been given the command.
    case given
    /// The outcome is in the spool, and the relay has not acknowledged it yet.
    case told(SessionID)

    var bytes: [UInt8] {
        switch self {
        case .given: Array("{}".utf8)
        case .told(let session): JSONWriter.object { $0.field("told", session) }
        }
    }

    /// A note that cannot be read was written before the command was given.
    init(_ bytes: [UInt8]) {
        let told = (try? JSONDocument(parsing: bytes))?.root.text("told").flatMap { SessionID($0) }
        self = told.map { .told($0) } ?? .given
    }
}
