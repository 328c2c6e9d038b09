internal import HostCore
internal import Logging

extension Logger {
    func log(_ entry: SpoolLog) {
        switch entry {
        // The host itself logs items that the disk refuses.
        case .took, .refused: break
        case .foreign(let file):
            error("a spool file is not one of ours and was left alone", metadata: ["file": "\(file)"])
        case .unreadable(let file, let cause):
            error("a spool file cannot be read: what was in it is lost", metadata: ["file": "\(file)", "error": "\(cause)"])
        case .damaged(let file, let bytes, let isLast):
            warning(
                "a part of a spool file could not be read: what was in it is lost",
                metadata: ["file": "\(file)", "bytes": "\(bytes)", "last": "\(isLast)"])
        case .noRoom(let cause):
            error("no room for the spool: nothing is recorded or sent until there is", metadata: ["error": "\(cause)"])
        case .notRemoved(let file, let cause):
            warning("a spool file that is done with stays", metadata: ["file": "\(file)", "error": "\(cause)"])
        case .forgotSessions(let count): debug("forgot sessions of long ago", metadata: ["count": "\(count)"])
        case .renumbered(let session, let events):
            warning(
                "the relay knows later events of a session than this host does: numbering again",
                metadata: ["session.id": "\(session)", "events": "\(events)"])
        case .notAgreed(let session, let cause):
            error(
                "what the relay has of a session could not be written down: its events wait",
                metadata: ["session.id": "\(session)", "error": "\(cause)"])
        case .notSynchronized(let cause):
            error("the disk does not confirm what was written to the spool", metadata: ["error": "\(cause)"])
        case .renewed(let file): warning("the spool was begun again in another file", metadata: ["after": "\(file)"])
        case .thinned(let events):
            warning("the spool is full: dropped the oldest events", metadata: ["events": "\(events)"])
        case .notThinned(let cause): error("the full spool could not be thinned", metadata: ["error": "\(cause)"])
        }
    }
}
