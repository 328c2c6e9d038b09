package import RelayProtocol

/// What the planner of pushes starts from besides its records.
package struct PushSettings: Sendable {
    package var channels: [PushService: any PushChannel]
    /// The minute of the day, 0 to 1,439, at this moment (milliseconds since 1970) in this time zone of the tz database; nil where
    /// there is no such zone. The planner knows no time zones.
    package var localMinute: @Sendable (_ timeZone: String, _ at: Int64) -> Int64?

    package init(
        channels: [PushService: any PushChannel] = [:],
        localMinute: @escaping @Sendable (String, Int64) -> Int64? = { _, _ in nil }
    ) {
        self.channels = channels
        self.localMinute = localMinute
    }

    func channel(of device: Device) -> (any PushChannel)? { channels[device.address.service] }

    /// Nil: its channel knows no such app.
    func app(of device: Device) -> PushApp? { channel(of: device)?.app(named: device.profile) }

    /// Nil: on this device there are no cards.
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
