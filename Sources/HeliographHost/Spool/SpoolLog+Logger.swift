internal import HostCore
internal import Logging

extension Logger {
    func log(_ entry: SpoolLog) {
        switch entry {
        case .foreign(let file):
            error("a spool file is not one of ours and was left alone", metadata: ["file": "\(file)"])
        case .torn(let file, let bytes, let isLast):
            warning(
                "the end of a spool file was torn", metadata: ["file": "\(file)", "bytes": "\(bytes)", "last": "\(isLast)"])
        case .notRemoved(let file, let cause):
            warning("a spool file that is done with stays", metadata: ["file": "\(file)", "error": "\(cause)"])
        case .forgotSessions(let count): debug("forgot sessions of long ago", metadata: ["count": "\(count)"])
        case .renumbered(let session, let events):
            warning(
                "the relay knows later events of a session than this host does: numbering anew",
                metadata: ["session.id": "\(session)", "events": "\(events)"])
        case .notRenumbered(let session, let cause):
            error("a session could not be numbered anew", metadata: ["session.id": "\(session)", "error": "\(cause)"])
        case .thinned(let events):
            warning("the spool is full: dropped the oldest events", metadata: ["events": "\(events)"])
        case .notRotated(let cause): error("no new spool file could be begun", metadata: ["error": "\(cause)"])
        case .notThinned(let cause): error("the full spool could not be thinned", metadata: ["error": "\(cause)"])
        }
    }
}
