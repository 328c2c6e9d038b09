/// What several relays on one database promise together; see `ClusterHistory`.
package enum ClusterPromise: String, Sendable, CaseIterable {
    case fence, kept, load, durability, view, completeness, decision, wall, delivery, presence, replaced, level, placement
    case codec

    package var sentence: String {
        switch self {
        case .fence:
            "each commit has the generation that was the last of its workspace, an epoch changes only with a cause, and a node "
                + "commits no more to what it has dropped"
        case .kept: "an owner drops a workspace only where that one's row has changed"
        case .load: "what an owner loads is as durable as any commit"
        case .durability: "nothing is shown, acknowledged or handed to a host that is not committed, and nothing of it is lost"
        case .view: "each client's view is a stretch of the log of its epoch, or a reset or a snapshot said so"
        case .completeness: "what a host said is in the log in order and once"
        case .decision: "an approval is decided once, and its host hears one decision"
        case .wall: "nothing of one workspace reaches a peer or the log of another"
        case .delivery: "no record of a link reaches a peer that it was not for"
        case .presence:
            "an owner's core knows those who are connected, and nobody else, and nobody is connected to one that has ended"
        case .replaced: "a host that lives is not told that another speaks for it"
        case .level: "once faults stop, one node owns each workspace, and everybody is level within a bounded time"
        case .placement:
            "a workspace is handed over to the node that it belongs to, and once faults stop none has many that belong to others"
        case .codec: "what one node writes, the other reads"
        }
    }
}

/// A promise that was broken.
package struct ClusterViolation: Sendable, CustomStringConvertible {
    package let promise: ClusterPromise
    package let what: String
    /// Virtual milliseconds.
    package let at: Int64

    package var description: String { "\(promise.rawValue) at \(at) ms: \(what)\n  (\(promise.sentence))" }
}
