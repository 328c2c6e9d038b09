internal import HostCore
internal import RelayProtocol

/// Subagents that go on although their hook has reported their end, because a hook of the person's own has sent them on. Only their
/// transcript shows it.
extension ClaudeAdapter {
    struct RestedSubagent {
        let subagent: ClaudeSession.Subagent
        let path: String
        /// Time at which the transcript is read again, and after which it is not.
        var due: Int64
        let until: Int64
    }

    /// `path`: the subagent's transcript.
    mutating func awaitSendingOn(_ agent: String, _ subagent: ClaudeSession.Subagent, path: String, in id: SessionID) {
        guard sessions[id]?.rested.count ?? 0 < limits.callsMax else { return }
        sessions[id]?.rested[agent] = RestedSubagent(
            subagent: subagent, path: path, due: now.monotonic + limits.lateRead.milliseconds,
            until: now.monotonic + limits.stopGrace.milliseconds)
    }

    mutating func lookForSentOn() {
        let now = now.monotonic
        for session in sessionsInOrder {
            for (agent, rested) in session.rested.sorted(by: { $0.key < $1.key }) where rested.due <= now {
                let next = now + limits.lateRead.milliseconds
                sessions[session.id]?.rested[agent]?.due = next
                order(.readTranscriptEnd(.init(session: session.id, path: rested.path, purpose: .rested(agent))))
            }
        }
    }

    mutating func restedRead(_ end: ClaudeTranscript?, of agent: String, in id: SessionID) {
        guard let rested = sessions[id]?.rested[agent] else { return }
        let isSentOn = end?.isSentOn == true && sessions[id]?.subagents[agent]?.isStarted != true
        if isSentOn || rested.due > rested.until { sessions[id]?.rested[agent] = nil }
        guard isSentOn else { return }
        var subagent = rested.subagent
        subagent.isStarted = true
        sessions[id]?.subagents[agent] = subagent
        remember(id)
        let name = subagent.name ?? subagent.type.map { TextCut.line(clean($0), bytesMax: WireLimits.nameBytesMax) }
        emit(.subagentStarted(agent: agent, name: name, call: subagent.call), in: id)
    }
}
