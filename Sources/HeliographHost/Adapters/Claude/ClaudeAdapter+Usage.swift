internal import HostCore
internal import RelayProtocol

/// Cost, tokens and context, from the status line.
extension ClaudeAdapter {
    mutating func statusLineShown(_ line: JSONValue, _ process: AgentProcess?) {
        guard let id = Self.sessionID(line) else { return }
        // A line that is drawn after the end brings nobody back.
        ensureSession(id, process, line, revives: false)
        let siblings = sessions.values.filter { $0.id != id && $0.usage.process == process && process != nil }
        guard var usage = sessions[id]?.usage else { return }
        usage.update(line, process: process ?? sessions[id]?.process, earlier: siblings.map(\.usage.rawMicroUSD))
        sessions[id]?.usage = usage
        guard usage.isDirty else { return }
        let isDue = usage.sentAt.map { now.monotonic - $0 >= limits.usageInterval.milliseconds } ?? true
        if isDue { reportUsage(id) }
    }

    mutating func reportUsage(_ id: SessionID) {
        guard sessions[id]?.usage.isDirty == true, let usage = sessions[id]?.usage.take(at: now.monotonic) else { return }
        emit(.usage(usage), in: id)
        remember(id)
    }
}
