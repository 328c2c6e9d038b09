internal import HostCore
internal import RelayProtocol

/// Deadlines.
extension LocalAdapter {
    package var nextDeadline: Int64? {
        var deadlines = desk.nextDeadline.map { [$0] } ?? []
        deadlines += handedAt.keys.compactMap(receivedAt)
        if let output = outputs.nextDeadline { deadlines.append(output) }
        deadlines += steered.compactMap { sessions[$0]?.program?.nextDeadline }
        if let due = names.nextDeadline { deadlines.append(due) }
        if let interval = agentCheckInterval { deadlines.append(agentsCheckedAt + interval.milliseconds) }
        return deadlines.min()
    }

    /// Time from which the program counts as having received its answer, which is then not handed over again.
    private func receivedAt(_ id: ApprovalID) -> Int64? {
        guard let handedAt = handedAt[id], desk[id]?.run != nil else { return nil }
        return handedAt + limits.askAgainWithin.milliseconds
    }

    private var agentCheckInterval: Duration? {
        if desk.contains(where: { $0.process != nil }) { return limits.agentCheckOpen }
        return sessions.values.contains { !$0.isEnded && $0.process != nil } ? limits.agentCheckIdle : nil
    }

    mutating func timerFired() {
        tellDesk(.timerFired)
        programsTimerFired()
        answer(names.timerFired(at: now.monotonic))
        for approval in desk.approvals {
            if let due = receivedAt(approval.id), now.monotonic >= due { tellDesk(.answerReceived(approval.id)) }
        }
        guard let interval = agentCheckInterval, now.monotonic - agentsCheckedAt >= interval.milliseconds else { return }
        agentsCheckedAt = now.monotonic
        check(Set(sessions.values.filter { !$0.isEnded }.compactMap(\.process)))
    }
}
