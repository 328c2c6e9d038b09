internal import RelayProtocol

/// What the disk says of a command, under its name: an end that was told is kept until the relay has it, or a host that is started again
/// meanwhile would tell another.
enum SteeringNote: Equatable {
    /// Its agent may have been given it.
    case given
    /// What became of it waits in the spool, or is on its way.
    case told(SessionID)

    var bytes: [UInt8] {
        switch self {
        case .given: Array("{}".utf8)
        case .told(let session): JSONWriter.object { $0.field("told", session) }
        }
    }

    /// What cannot be read was written before something was given.
    init(_ bytes: [UInt8]) {
        let told = (try? JSONDocument(parsing: bytes))?.root.text("told").flatMap { SessionID($0) }
        self = told.map { .told($0) } ?? .given
    }
}
