/// One place where pushes reach an app, whichever device of whichever workspace names it: a token of APNs, of a device or a card, or the
/// endpoint of a browser.
///
/// A secret, as what it is made of.
package struct PushAddress: Hashable, Sendable {
    package let service: PushService
    /// Of a browser the endpoint alone: with whatever keys, it is one browser that shows what goes there.
    package let text: String

    /// `place` as a device's address or an intent names it.
    package init(_ service: PushService, place: String) {
        self.service = service
        text =
            switch service {
            case .apns: place
            case .web: WebSubscription(place: place)?.endpoint ?? place
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
