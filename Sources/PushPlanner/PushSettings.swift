package import RelayProtocol

/// Settings of the planner.
package struct PushSettings: Sendable {
    package var channels: [PushService: any PushChannel]
    /// The minute of the week, from Monday 0:00 on, at this moment (milliseconds since 1970) in this time zone of the tz database;
    /// nil for an unknown zone. The planner itself has no time zones.
    package var localWeekMinute: @Sendable (_ timeZone: String, _ at: Int64) -> Int64?
    /// The block for new pushes. A planner of all workspaces uses the first block, but continues in the block of a workspace that
    /// had a planner of its own, so that the numbers of one workspace only grow.
    package var numbers: PushNumbers

    /// Pushes of one workspace in a day, if that has no limit of its own; 0 is no limit.
    package var pushesPerDay = 0

    /// Minutes after which a pending request rings again: each in turn, then the last repeatedly. Empty for never.
    package var reminders: [Int64]

    /// An hour, in which a person may have looked at another screen; then every four hours.
    package static let remindersDefault: [Int64] = [60, 240]

    package init(
        channels: [PushService: any PushChannel] = [:], numbers: PushNumbers = .ofAll,
        reminders: [Int64] = remindersDefault, localWeekMinute: @escaping @Sendable (String, Int64) -> Int64? = { _, _ in nil }
    ) {
        self.channels = channels
        self.numbers = numbers
        self.reminders = reminders
        self.localWeekMinute = localWeekMinute
    }

    /// Time of the next ring of an approval that rang `times` times, the last at `moment`, both in milliseconds since 1970; nil for
    /// never.
    func reminder(afterRing times: Int64, at moment: Int64) -> Int64? {
        guard let last = reminders.last else { return nil }
        let place = Int(max(1, times)) - 1
        return moment + (place < reminders.count ? reminders[place] : last) * 60_000
    }

    private static let day: Int64 = 1_440
    private static let week = 7 * day

    /// The minute of the day, 0 to 1,439.
    func localMinute(_ timeZone: String, _ at: Int64) -> Int64? { localWeekMinute(timeZone, at).map { $0 % Self.day } }

    /// The next time after `now` when it is this minute of the day there, in milliseconds since 1970; nil for an unknown zone.
    func next(_ minute: Int64, in timeZone: String, after now: Int64) -> Int64? {
        next(minute, of: Self.day, in: timeZone, after: now)
    }

    /// The next time of a weekly minute, likewise.
    func next(_ weekly: WeeklyCosts, after now: Int64) -> Int64? {
        next(weekly.minute, of: Self.week, in: weekly.timeZone, after: now)
    }

    /// The next time of a minute of `period`, which is a day or a week.
    private func next(_ minute: Int64, of period: Int64, in timeZone: String, after now: Int64) -> Int64? {
        func local(_ at: Int64) -> Int64? { localWeekMinute(timeZone, at).map { $0 % period } }
        guard let current = local(now) else { return nil }
        let left = (minute - current + period - 1) % period + 1
        let next = now - now % 60_000 + left * 60_000
        guard let then = local(next), then != minute else { return next }
        // The clocks change in between. If they skip the minute, the result is the moment at which it would have been.
        let ahead = (then - minute + period + period / 2) % period - period / 2
        let mended = next - ahead * 60_000
        return mended > now && local(mended) == minute ? mended : next
    }

    func channel(of device: Device) -> (any PushChannel)? { channels[device.address.service] }

    /// Nil if the channel does not know the app.
    func app(of device: Device) -> PushApp? { channel(of: device)?.app(named: device.profile) }

    /// Nil if this device has no cards.
    func cardApp(of device: Device) -> CardApp? {
        guard let channel = channel(of: device), let app = channel.app(named: device.profile), let cards = app.cards else {
            return nil
        }
        return CardApp(channel: channel, app: app, cards: cards)
    }
}

/// An app that shows cards, and the channel that makes them.
struct CardApp {
    let channel: any PushChannel
    let app: PushApp
    let cards: PushApp.Cards

    func payload(_ content: CardContent, on device: Device) -> [UInt8] { channel.payload(of: .card(content), on: device) }
}
