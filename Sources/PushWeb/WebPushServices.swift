/// The push services that are called. An address that is not of one of them is refused, whoever sent it.
package struct WebPushServices: Equatable, Sendable {
    /// One that the operator has added: a push service of their own, or one of a test.
    package struct Added: Equatable, Sendable {
        /// The exact name; nothing below it.
        package var host: String
        package var port: UInt16
        /// Address to connect to instead of the one from DNS; the certificate must still name the host.
        package var address: String?
        /// True if it may be in the own network.
        package var mayBePrivate: Bool

        package init(_ host: String, port: UInt16 = 443, address: String? = nil, mayBePrivate: Bool = false) {
            self.host = host
            self.port = port
            self.address = address
            self.mayBePrivate = mayBePrivate
        }

        /// `push.example`, `push.example:8443` or `push.lan:8443=192.168.1.5`: naming the address lets it be in the local network.
        /// Nil for what is none of these.
        package init?(_ text: String) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let place = parts[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard HostName.isValid(place[0]) else { return nil }
            var port = WebPushOrigin.defaultPort
            if place.count == 2 {
                // Not also `+443`, which is a number.
                guard place[1].utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(place[1]), number > 0 else {
                    return nil
                }
                port = number
            }
            let address = parts.count == 2 ? Self.bare(parts[1]) : nil
            if let address, !PublicAddress.isAddress(address) { return nil }
            self.init(String(place[0]), port: port, address: address, mayBePrivate: address != nil)
        }

        /// Without brackets around all of it, if it has them: IPv6 is written so elsewhere.
        private static func bare(_ address: Substring) -> String {
            let isBracketed = address.hasPrefix("[") && address.hasSuffix("]") && address.contains(":")
            return String(isBracketed ? address.dropFirst().dropLast() : address)
        }

        /// The text that `init` parses.
        package var text: String {
            let place = port == WebPushOrigin.defaultPort ? host : "\(host):\(port)"
            return address.map { "\(place)=\($0.contains(":") ? "[\($0)]" : $0)" } ?? place
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
