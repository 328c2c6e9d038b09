/// The push services that are called. An address that is not of one of them is refused, whoever sent it.
package struct WebPushServices: Equatable, Sendable {
    /// One that the operator has added: a push service of their own, or one of a test.
    package struct Added: Equatable, Sendable {
        /// The exact name; nothing below it.
        package var host: String
        package var port: UInt16
        /// Where to connect to instead of where DNS says; the certificate must still name the host.
        package var address: String?
        /// Whether it may stand in the own network.
        package var mayBePrivate: Bool

        package init(_ host: String, port: UInt16 = 443, address: String? = nil, mayBePrivate: Bool = false) {
            self.host = host
            self.port = port
            self.address = address
            self.mayBePrivate = mayBePrivate
        }
    }

    package var added: [Added] = []

    package init(added: [Added] = []) { self.added = added }

    /// Apple's, Google's (the second is that of Chromium without Google's keys), Mozilla's and Microsoft's; and whatever is below.
    private static let known = [
        "push.apple.com", "fcm.googleapis.com", "jmt17.google.com", "updates.push.services.mozilla.com", "notify.windows.com",
    ]

    func allows(_ origin: WebPushOrigin) -> Bool {
        let isKnown = Self.known.contains { origin.host == $0 || origin.host.hasSuffix("." + $0) }
        return isKnown && origin.port == WebPushOrigin.defaultPort || addition(origin) != nil
    }

    func addition(_ origin: WebPushOrigin) -> Added? { added.first { $0.host == origin.host && $0.port == origin.port } }
}
