/// One place where pushes reach an app, whichever device of whichever workspace names it: a token of APNs, of a device or a card, the
/// endpoint of a browser, a topic of ntfy, or a receiver.
///
/// A secret, as what it is made of.
package struct PushAddress: Hashable, Sendable {
    package let service: PushService
    /// Without what only opens or seals: a browser's endpoint with other keys, or a topic with another token, is the same place.
    package let text: String

    /// `place` as a device's address or an intent names it.
    package init(_ service: PushService, place: String) {
        self.service = service
        text =
            switch service {
            case .apns, .receiver: place
            case .web: WebSubscription(place: place)?.endpoint ?? place
            case .ntfy: NtfyTopic(place: place).map { "\($0.server)/\($0.topic)" } ?? place
            }
    }
}

extension PushAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "address of \(service.rawValue)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension DeviceAddress {
    /// The device's addresses, cards aside.
    package var places: [PushAddress] { [alerts, starts].compactMap { $0.map { PushAddress(service, place: $0) } } }

    /// Removes every address.
    package mutating func dropAll() { (alerts, starts) = (nil, nil) }
}
