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
        /// Called without TLS.
        package var isPlain: Bool

        package init(
            _ host: String, port: UInt16 = 443, address: String? = nil, mayBePrivate: Bool = false, isPlain: Bool = false
        ) {
            self.host = host
            self.port = port
            self.isPlain = isPlain
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

        /// `ntfy.lan`, `http://ntfy.lan:8080` or `http://192.168.1.5:8080`, each perhaps with `=ADDRESS`: whatever is named here may be in
        /// the local network, and without TLS if it says so. Nil for what is none of these.
        package init?(server text: String) {
            let isPlain = text.hasPrefix("http://")
            let named = text.dropFirst(isPlain ? "http://".count : text.hasPrefix("https://") ? "https://".count : 0)
            let parts = named.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let place = (parts.first ?? "").split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let host = String(place.first ?? "")
            let isAddress = PublicAddress.isAddress(host)
            let address = parts.count == 2 ? Self.bare(parts[1]) : isAddress ? host : nil
            let port = place.count == 2 ? UInt16(place[1]) ?? 0 : WebPushOrigin.usualPort(isPlain: isPlain)
            guard isAddress || HostName.isValid(host[...]), port > 0, place.count < 2 || String(port) == place[1],
                address.map(PublicAddress.isAddress) ?? true
            else { return nil }
            self.init(host, port: port, address: address, mayBePrivate: true, isPlain: isPlain)
        }

        /// The text that `init(server:)` parses.
        package var serverText: String {
            let place = WebPushOrigin(host: host, port: port, isPlain: isPlain).description
            return address.flatMap { $0 == host ? nil : "\(place)=\($0.contains(":") ? "[\($0)]" : $0)" } ?? place
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
    /// Servers that the person who uses them names: any that is public and has TLS, besides those that are added.
    package var takesAnyPublic: Bool

    package init(added: [Added] = [], takesAnyPublic: Bool = false) {
        (self.added, self.takesAnyPublic) = (added, takesAnyPublic)
    }

    /// Apple's, Google's (the second is that of Chromium without Google's keys), Mozilla's and Microsoft's; and whatever is below.
    private static let known = [
        "push.apple.com", "fcm.googleapis.com", "jmt17.google.com", "updates.push.services.mozilla.com", "notify.windows.com",
    ]

    /// The reason for which this server is not called; nil: it is called. That its address is a public one is checked with each connection.
    func refusal(ofServer origin: WebPushOrigin) -> String? {
        if addition(origin) != nil { return nil }
        let reason = origin.isPlain ? "it has no TLS" : HostName.privacy(of: origin.host[...])
        if let reason { return "\(origin) is only called if the relay's operator has named it: \(reason)" }
        return takesAnyPublic ? nil : "\(origin) is not a server that this relay calls"
    }

    func allows(_ origin: WebPushOrigin) -> Bool {
        if takesAnyPublic { return refusal(ofServer: origin) == nil }
        let isKnown = Self.known.contains { origin.host == $0 || origin.host.hasSuffix("." + $0) }
        return isKnown && origin.port == WebPushOrigin.defaultPort && !origin.isPlain || addition(origin) != nil
    }

    func addition(_ origin: WebPushOrigin) -> Added? {
        added.first { $0.host == origin.host && $0.port == origin.port && $0.isPlain == origin.isPlain }
    }
}
