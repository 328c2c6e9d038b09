import RelayModel
import RelayProtocol

/// Costs of the last seven days, sent once a week to devices that want it.
extension PushPlanner {
    private static let week: Int64 = 7 * 86_400_000

    mutating func armWeekly(of key: DeviceKey, at now: Instant) {
        guard let weekly = devices[key]?.weekly, let due = settings.next(weekly.wish, after: weekly.since) else { return }
        orders.append(.armTimer(.weekly(key.workspace, key.device), after: max(1, due - now.wall)))
    }

    /// Sends the weekly digest: only the last one if the relay was away for weeks, and none after two weeks without usage.
    mutating func tellWeekly(_ key: DeviceKey, at now: Instant) {
        guard let device = devices[key], let weekly = device.weekly, var end = settings.next(weekly.wish, after: weekly.since),
            end <= now.wall
        else { return armWeekly(of: key, at: now) }
        while let later = settings.next(weekly.wish, after: end), later <= now.wall { end = later }
        devices[key]?.toldWeekly(end)
        let reports = [end, end - Self.week].map { until in
            sight.costs(CostQuery(days: [max(0, until - Self.week)], until: until, sessions: 0), key.workspace)
        }
        if reports.contains(where: { $0.total != CostSum() }) {
            let words = WeeklyWords(
                week: reports[0], before: reports[1], hidesCost: device.device.hidesCost, words: device.words)
            let cover = words.text(naming: false)
            owe(
                OwedAlert(
                    .finished, device.device.text == .generic ? cover : words.text(naming: true), cover: cover,
                    chosen: device.device.text, level: .passive, thread: "digest", replaces: "weekly", session: nil,
                    at: now.wall),
                to: key, at: now)
        } else {
            stageRecord(of: key)
        }
        armWeekly(of: key, at: now)
    }
}
