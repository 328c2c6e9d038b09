internal import HostCore
internal import RelayProtocol

/// Cost, tokens and context: from the status line, and from the transcript where that lacks them.
///
/// | | Claude's figure begins with | source |
/// |---|---|---|
/// | a new conversation, `/clear`, `/branch` | nothing | |
/// | `--resume`, `--continue`, `/resume` | what the conversation cost until its last proper end | the last total in its transcript
/// |
/// | `--fork-session` | what the other conversation cost until its last proper end | the status line before the first prompt, else
/// the last total in the other's transcript, which the copied messages name |
///
/// A conversation that continues in another folder names a transcript in that folder at its start, but no such file exists.
///
/// Tokens are those of the messages in the transcripts, and in the end those of the total, which includes requests that no
/// transcript has.
///
/// `claude -p` has no status line. It writes its total before its SessionEnd. The end of a turn reports only tokens, and a killed
/// process leaves no more than those.
extension ClaudeAdapter {
    mutating func statusLineShown(_ line: JSONValue, _ process: AgentProcess?) {
        guard let id = sessionID(line) else { return }
        // A status line that is drawn after the end does not revive a session.
        ensureSession(id, process, line, revives: false)
        let siblings = sessions.values.filter { $0.id != id }
        let earlier = process.map { process in siblings.compactMap { $0.usages.rawMicroUSD(of: process) } } ?? []
        // Any of several terminals may have drawn a line of which the process is unknown.
        guard process != nil || sessions[id]?.earlier.isEmpty != false else { return }
        let owner = process ?? sessions[id]?.process
        bringUsage(of: owner, in: id)
        guard var usage = sessions[id]?.usage else { return }
        switch sessions[id]?.fork {
        case .fresh?:
            guard let raw = ClaudeUsage.shown(line) else { break }
            usage.inherit(ClaudeTranscript.Total(microUSD: raw), process: owner)
            sessions[id]?.fork = nil
        // The status line is drawn again soon.
        case .prompted?: return settleFork(id, isLast: true)
        case nil: break
        }
        let isNew = usage.update(line, process: owner, earlier: earlier)
        sessions[id]?.usage = usage
        if isNew, countUsed(id, by: owner, atMostEvery: limits.usageInterval) { return }
        reportUsageIfDue(id)
    }

    /// The session's process; nil if several have it open, of which any may have reported.
    private func soleProcess(of id: SessionID) -> AgentProcess? {
        sessions[id].flatMap { $0.earlier.isEmpty ? $0.process : nil }
    }

    /// Makes the usage of one of the processes that have the conversation open the present one; what another has used is reported
    /// before.
    private mutating func bringUsage(of process: AgentProcess?, in id: SessionID) {
        guard let process, let session = sessions[id], session.usages.owner != process else { return }
        if session.usages.owner != nil { reportUsage(id) }
        sessions[id]?.bringUsage(of: process)
    }

    mutating func reportUsageIfDue(_ id: SessionID) {
        guard let usage = sessions[id]?.usage, usage.isDirty else { return }
        if usage.sentAt.map({ now.monotonic - $0 >= limits.usageInterval.milliseconds }) ?? true { reportUsage(id) }
    }

    // MARK: From the transcript

    /// `beside`: the process that has the conversation open, too, and has written it so far.
    mutating func costBegins(_ id: SessionID, source: String?, beside process: AgentProcess? = nil) {
        if source == "resume", let process {
            read(id, .used(by: process))
        } else {
            sessions[id]?.transcriptRead = 0
            sessions[id]?.lastMessage = nil
            sessions[id]?.totalsRead = 0
        }
        sessions[id]?.fork = source == "fork" ? .fresh : nil
        if source == "resume" { read(id, .inherited) }
    }

    /// Finds out whether the session is a copy of another; a copy is written to the transcript with the first request.
    mutating func settleFork(_ id: SessionID, isLast: Bool) {
        guard let session = sessions[id], session.fork == .prompted || isLast && session.fork != nil else { return }
        if !read(id, .fork(isLast: isLast)) && isLast { sessions[id]?.fork = nil }
    }

    /// Counts usage now, unless it was counted a moment ago, and again when late lines are written. Returns false if nothing is
    /// read now.
    @discardableResult
    mutating func countUsed(
        _ id: SessionID, by process: AgentProcess? = nil, atMostEvery interval: Duration = .zero
    ) -> Bool {
        guard let session = sessions[id], let process = process ?? reporter ?? soleProcess(of: id),
            let path = session.transcript
        else { return false }
        let request = ClaudeTranscriptRequest(session: id, path: path, purpose: .used(by: process))
        sessions[id]?.lateReads[request] = now.monotonic + limits.lateRead.milliseconds
        if let countedAt = session.countedAt, now.monotonic - countedAt < interval.milliseconds { return false }
        sessions[id]?.countedAt = now.monotonic
        order(.readTranscriptEnd(request))
        return true
    }

    mutating func readLate() {
        for session in sessionsInOrder {
            let due = session.lateReads.filter { $0.value <= now.monotonic }.keys.sorted { $0.path < $1.path }
            for request in due {
                sessions[session.id]?.lateReads[request] = nil
                order(.readTranscriptEnd(request))
            }
        }
    }

    /// Counts a subagent's usage at its end. The hook names its transcript, which is in a folder beside that of its session. Returns
    /// its path.
    mutating func countUsed(by agent: String, in id: SessionID, _ payload: JSONValue) -> String? {
        guard let path = payload.text("agent_transcript_path"), let session = sessions[id], let own = session.transcript,
            let process = reporter ?? soleProcess(of: id), own.hasSuffix(".jsonl"), path.hasPrefix(own.dropLast(6) + "/"),
            !path.contains("/../"), path.utf8.count <= WireLimits.lineBytesMax
        else { return nil }
        let request = ClaudeTranscriptRequest(session: id, path: path, purpose: .usedBySubagent(agent, of: process))
        if session.lateReads.count < limits.callsMax {
            sessions[id]?.lateReads[request] = now.monotonic + limits.lateRead.milliseconds
        }
        order(.readTranscriptEnd(request))
        return path
    }

    /// Ends the session after its cost was read: the agent writes the last figure to its transcript when it ends.
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
            sessions[id]?.totalsRead = end?.end ?? 0
            remember(id)
            inherit(end, in: id)
        case .fork(let isLast):
            // The parent is looked for in everything that was read.
            let parent = end?.parent
            if let parent {
                let folder = request.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                let path = folder.joined(separator: "/") + "/\(parent).jsonl"
                order(.readTranscriptEnd(ClaudeTranscriptRequest(session: id, path: path, purpose: .parent)))
            }
            if isLast || parent != nil || end?.hasOwnRequest == true { sessions[id]?.fork = nil }
        case .parent: inherit(end, in: id)
        case .interrupted: interruptionRead(id, end?.interruption)
        case .continued(let prompt, let isLast): lineRead(end, of: prompt, isLast: isLast, in: id)
        case .submitted(let prompt, let from): submissionRead(end, of: prompt, isFirst: from == nil, in: id)
        case .used(let process):
            count(end, by: process, in: id)
            remember(id)
            reportUsageIfDue(id)
        case .usedBySubagent(let agent, let process):
            count(end, of: agent, by: process, in: id)
            remember(id)
            reportUsageIfDue(id)
        case .rested(let agent): restedRead(end, of: agent, in: id)
        case .left(let process):
            takeTotal(end, of: process, in: id)
            reportUsage(id)
        case .end(let reason, let failed):
            takeTotal(end, of: session.process, in: id)
            self.end(id, reason: reason, failed: failed)
        }
    }

    /// Counts what a process has used, when it has left: it writes its total then, unless it was killed.
    private mutating func takeTotal(_ end: ClaudeTranscript?, of process: AgentProcess?, in id: SessionID) {
        bringUsage(of: process, in: id)
        count(end, by: process, in: id)
        guard let end, let session = sessions[id] else { return }
        let from = end.end >= session.totalsRead ? session.totalsRead : 0
        if let total = end.total(from: from) { sessions[id]?.usage.update(total, process: process) }
        sessions[id]?.totalsRead = end.end
    }

    /// Takes over the inherited total. It is unknown if the transcript is so long that one may be further ahead.
    private mutating func inherit(_ end: ClaudeTranscript?, in id: SessionID) {
        guard let end, let total = end.total() ?? (end.start == 0 ? ClaudeTranscript.Total() : nil) else { return }
        let process = sessions[id]?.process
        bringUsage(of: process, in: id)
        sessions[id]?.usage.inherit(total, process: process)
        remember(id)
    }

    private mutating func count(_ end: ClaudeTranscript?, by process: AgentProcess?, in id: SessionID) {
        bringUsage(of: process, in: id)
        guard let end, let session = sessions[id] else { return }
        // A transcript that has become shorter was rewritten, so its new messages cannot be determined.
        if end.end >= session.transcriptRead {
            let used = end.used(from: session.transcriptRead, after: session.lastMessage)
            sessions[id]?.usage.update(used, process: process)
            sessions[id]?.lastMessage = used.lastMessage
        }
        sessions[id]?.transcriptRead = end.end
    }

    /// Counts a subagent's usage. A subagent that is continued appends to the same transcript.
    private mutating func count(
        _ end: ClaudeTranscript?, of agent: String, by process: AgentProcess?, in id: SessionID
    ) {
        bringUsage(of: process, in: id)
        guard let end, let session = sessions[id] else { return }
        let read = session.subagentReads[agent]
        guard read != nil || session.subagentReads.count < limits.callsMax else { return }
        let used = end.used(from: read?.bytes ?? 0, after: read?.message)
        sessions[id]?.usage.update(used, process: process)
        sessions[id]?.subagentReads[agent] = (end.end, used.lastMessage)
    }

    mutating func pricesRead(_ prices: ModelPrices) {
        self.prices = prices
        for session in sessionsInOrder where !session.isEnded {
            for process in session.earlier + [session.process].compactMap(\.self) {
                bringUsage(of: process, in: session.id)
                sessions[session.id]?.usage.reprice(by: prices, process: process)
                reportUsageIfDue(session.id)
            }
        }
    }

    // MARK: Told

    mutating func reportUsage(_ id: SessionID) {
        guard sessions[id]?.usage.isDirty == true, let usage = sessions[id]?.usage.take(at: now.monotonic) else { return }
        emit(.usage(usage), in: id)
        remember(id)
    }
}
