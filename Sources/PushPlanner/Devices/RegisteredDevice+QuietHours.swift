import RelayModel
import RelayProtocol

extension RegisteredDevice {
    /// End of the current quiet hours, in milliseconds since 1970; nil outside of them.
    func quietUntil(_ now: Int64, _ settings: PushSettings) -> Int64? {
        guard let quiet = device.quiet, quiet.from != quiet.to,
            let minute = settings.localMinute(quiet.timeZone, now)
        else {
            return nil
        }
        let isWithin =
            quiet.from < quiet.to
            ? (quiet.from..<quiet.to).contains(minute) : minute >= quiet.from || minute < quiet.to
        return isWithin ? settings.next(quiet.to, in: quiet.timeZone, after: now) : nil
    }

    /// End of the device's silence about an approval: of the current quiet hours, and of the time for which it is muted.
    func quietUntil(_ approval: Approval, _ now: Int64, _ settings: PushSettings) -> Int64? {
        let isExcepted = device.quiet?.exceptRisks == true && !approval.request.risks.isEmpty
        return [
            isExcepted ? nil : quietUntil(now, settings), device.silentUntil(approval.session, approval.id, at: now),
        ].compactMap { $0 }.max()
    }

    /// Time of the device's digest by the person's choices, in milliseconds since 1970; nil if nothing was deferred.
    func digestDueAt(_ now: Int64, _ settings: PushSettings) -> Int64? {
        guard let since = alerts.deferredSince else { return nil }
        let gathered =
            switch device.gathering {
            case .interval(let minutes): since + minutes * 60_000
            case .daily(let minute, let timeZone): settings.next(minute, in: timeZone, after: since) ?? since
            case nil: since
            }
        return max(gathered, quietUntil(now, settings) ?? 0)
    }
}
