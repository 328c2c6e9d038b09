/// One address at which pushes reach an app, independent of the device and workspace that registered it: an APNs token of a device
/// or a card, the endpoint of a browser, an ntfy topic, or a receiver.
///
/// Secret, as its parts are.
package struct PushAddress: Hashable, Sendable {
    package let service: PushService
    /// The part that identifies the address, without keys and access tokens: a browser's endpoint with other keys, or a topic with
    /// another token, is the same address.
    package let text: String

    /// `place`: the address in the form that a device or an intent has.
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
    /// The device's own addresses, without those of its cards.
    package var places: [PushAddress] { [alerts, starts].compactMap { $0.map { PushAddress(service, place: $0) } } }

    package mutating func dropAll() { (alerts, starts) = (nil, nil) }
}
