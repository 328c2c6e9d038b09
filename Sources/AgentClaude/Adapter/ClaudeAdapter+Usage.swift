internal import HostCore
internal import RelayProtocol

/// Cost, tokens and context: from the status line, and from the transcript what that does not tell.
///
/// | | Claude's figure begins with | which is known from |
/// |---|---|---|
/// | a new conversation, `/clear`, `/branch` | nothing | |
/// | `--resume`, `--continue`, `/resume` | what the conversation cost until its last proper end | the last total in its transcript |
/// | `--fork-session` | what the other conversation cost until its last proper end | the status line before the first prompt, else the last total in the other's transcript, which the copied messages name |
///
/// A conversation that goes on in another folder is named in that folder's transcripts at its start, and no such file exists.
///
/// `claude -p` has no status line. It writes its total down before its SessionEnd; a turn's end tells of tokens only, and one
/// that is killed leaves no more than those.
extension ClaudeAdapter {
    mutating func statusLineShown(_ line: JSONValue, _ process: AgentProcess?) {
        guard let id = sessionID(line) else { return }
        // A line that is drawn after the end brings nobody back.
        ensureSession(id, process, line, revives: false)
        let siblings = sessions.values.filter { $0.id != id && $0.usage.process == process && process != nil }
        guard var usage = sessions[id]?.usage else { return }
        switch sessions[id]?.fork {
        case .fresh?:
            guard let raw = ClaudeUsage.shown(line) else { break }
            usage.inherit(ClaudeTranscript.Total(microUSD: raw), process: sessions[id]?.process)
            sessions[id]?.fork = nil
        // The line is drawn again soon.
        case .prompted?: return settleFork(id, isLast: true)
        case nil: break
        }
        usage.update(line, process: process ?? sessions[id]?.process, earlier: siblings.map(\.usage.rawMicroUSD))
        sessions[id]?.usage = usage
        guard usage.isDirty else { return }
        let isDue = usage.sentAt.map { now.monotonic - $0 >= limits.usageInterval.milliseconds } ?? true
        if isDue { reportUsage(id) }
    }

    // MARK: From the transcript

    mutating func costBegins(_ id: SessionID, source: String?) {
        sessions[id]?.transcriptRead = 0
        sessions[id]?.lastMessage = nil
        sessions[id]?.fork = source == "fork" ? .fresh : nil
        if source == "resume" { read(id, .inherited) }
    }

    /// A copy is written down with the first request.
    mutating func settleFork(_ id: SessionID, isLast: Bool) {
        guard let session = sessions[id], session.fork == .prompted || isLast && session.fork != nil else { return }
        if !read(id, .fork(isLast: isLast)) && isLast { sessions[id]?.fork = nil }
    }

    /// Where no status line tells of it.
    mutating func countUsed(_ id: SessionID) {
        guard let session = sessions[id], session.process != nil, session.usage.lineProcess != session.process else { return }
        read(id, .used)
    }

    /// The agent's last word about cost is in its transcript when it ends.
    mutating func endCounted(_ id: SessionID, reason: String?, failed: Bool) {
        settleFork(id, isLast: true)
        if !read(id, .end(reason: reason, failed: failed)) { end(id, reason: reason, failed: failed) }
    }

    @discardableResult
    mutating func read(_ id: SessionID, _ purpose: ClaudeTranscriptRequest.Purpose) -> Bool {
        guard let path = sessions[id]?.transcript else { return false }
        order(.readTranscriptEnd(ClaudeTranscriptRequest(session: id, path: path, purpose: purpose)))
        return true
    }

    mutating func transcriptEndRead(_ request: ClaudeTranscriptRequest, _ end: ClaudeTranscript?) {
        let id = request.session
        guard let session = sessions[id], !session.isEnded else { return }
        switch request.purpose {
        case .inherited:
            sessions[id]?.transcriptRead = end?.end ?? 0
            remember(id)
            inherit(end, in: id)
        case .fork(let isLast):
            // Looked for in all of what was read.
            let parent = end?.parent
            if let parent {
                let folder = request.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                let path = folder.joined(separator: "/") + "/\(parent).jsonl"
                order(.readTranscriptEnd(ClaudeTranscriptRequest(session: id, path: path, purpose: .parent)))
            }
            if isLast || parent != nil || end?.hasOwnRequest == true { sessions[id]?.fork = nil }
        case .parent: inherit(end, in: id)
        case .interrupted: interruptionRead(id, end?.interruption)
        case .used:
            count(end, in: id)
            remember(id)
            reportUsage(id)
        case .end(let reason, let failed):
            if session.usage.lineProcess != session.process { count(end, in: id) }
            if let total = end?.total { sessions[id]?.usage.update(total, process: session.process) }
            self.end(id, reason: reason, failed: failed)
        }
    }

    /// Not known where a transcript is so long that there may be a total further ahead.
    private mutating func inherit(_ end: ClaudeTranscript?, in id: SessionID) {
        guard let end, let total = end.total ?? (end.start == 0 ? ClaudeTranscript.Total() : nil) else { return }
        let process = sessions[id]?.process
        sessions[id]?.usage.inherit(total, process: process)
        remember(id)
    }

    private mutating func count(_ end: ClaudeTranscript?, in id: SessionID) {
        guard let end, let session = sessions[id] else { return }
        // One that is shorter than it was has been written again: what is new in it cannot be told.
        if end.end >= session.transcriptRead {
            let used = end.used(from: session.transcriptRead, after: session.lastMessage)
            sessions[id]?.usage.update(used, process: session.process)
            sessions[id]?.lastMessage = used.lastMessage
        }
        sessions[id]?.transcriptRead = end.end
    }

    // MARK: Told

    mutating func reportUsage(_ id: SessionID) {
        guard sessions[id]?.usage.isDirty == true, let usage = sessions[id]?.usage.take(at: now.monotonic) else { return }
        emit(.usage(usage), in: id)
        remember(id)
    }
}
