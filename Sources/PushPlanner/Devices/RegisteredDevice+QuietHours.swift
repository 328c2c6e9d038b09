import RelayProtocol

extension RegisteredDevice {
    /// When the present quiet hours end, in milliseconds since 1970; nil: they are not now.
    func quietUntil(_ now: Int64, _ settings: PushSettings) -> Int64? {
        guard let quiet = device.quiet, quiet.from != quiet.to,
            let minute = settings.localMinute(quiet.timeZone, now)
        else {
            return nil
        }
        let isWithin =
            quiet.from < quiet.to
            ? (quiet.from..<quiet.to).contains(minute) : minute >= quiet.from || minute < quiet.to
        guard isWithin else { return nil }
        let left = (quiet.to - minute + 1_440) % 1_440
        // On the minute. A clock that is changed meanwhile makes us look again then, no more.
        return now - now % 60_000 + left * 60_000
    }
}
