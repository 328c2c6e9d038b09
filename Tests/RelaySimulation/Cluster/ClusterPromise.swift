/// Guarantees of several relays on one database; see `ClusterHistory`.
package enum ClusterPromise: String, Sendable, CaseIterable {
    case fence, kept, load, durability, view, completeness, decision, wall, delivery, presence, replaced, level, placement
    case service, removal, identity, numbers, codes, alerts, letters
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
        case .service:
            "while one thing fails, each workspace is owned again, and everybody who is there is level, within what lease, look, "
                + "courtesy and coming back add up to"
        case .removal:
            "of a workspace that was removed nobody is connected, nothing is stored and nobody is the owner within a bounded "
                + "time, and who has let go of it commits no more to it"
        case .identity:
            "each node says to the holder of a token who it is in its workspace, and of a token that was revoked that nobody has it, "
                + "within a bounded time"
        case .numbers: "a push's number is of its workspace, and given once in an epoch, whoever owns that by then"
        case .codes: "a code decides what its push has shown, in its workspace, at whatever node; each request has one answer"
        case .alerts:
            "an approval rings on each device that wants it, whoever owns the workspace by then, and where that is known again "
                + "only after an hour by the owner's clock"
        case .letters:
            "a letter reaches the host whose keys it names, or the client that it names, in its workspace, with its sender's name, once"
        case .codec: "what one node writes, the other reads"
        }
    }
}

/// A promise that was broken.
package struct ClusterViolation: Sendable, CustomStringConvertible {
    package let promise: ClusterPromise
    package let what: String
    /// Virtual time, in milliseconds.
    package let at: Int64

    package var description: String { "\(promise.rawValue) at \(at) ms: \(what)\n  (\(promise.sentence))" }
}
