/// The push services that may be called. An address of any other is refused, whoever sent it.
package struct WebPushServices: Equatable, Sendable {
    /// A service that the operator has added: their own push service, or one for tests.
    package struct Added: Equatable, Sendable {
        /// The exact host name; subdomains are not included.
        package var host: String
        package var port: UInt16
        /// Address to connect to instead of the one from DNS; the certificate must still name the host.
        package var address: String?
        /// True if its address may be in the local network.
        package var mayBePrivate: Bool
        /// True to call it without TLS.
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

        /// `push.example`, `push.example:8443` or `push.lan:8443=192.168.1.5`: naming the address permits it to be in the local
        /// network. Nil for any other form.
        package init?(_ text: String) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let place = parts[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard HostName.isValid(place[0]) else { return nil }
            var port = WebPushOrigin.defaultPort
            if place.count == 2 {
                // `UInt16` alone would also accept `+443`.
                guard place[1].utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt16(place[1]), number > 0 else {
                    return nil
                }
                port = number
            }
            let address = parts.count == 2 ? Self.bare(parts[1]) : nil
            if let address, !PublicAddress.isAddress(address) { return nil }
            self.init(String(place[0]), port: port, address: address, mayBePrivate: address != nil)
        }

        /// `ntfy.lan`, `http://ntfy.lan:8080` or `http://192.168.1.5:8080`, each optionally with `=ADDRESS`. A server named here
        /// may be in the local network, and without TLS if the text says so. Nil for any other form.
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

        /// The address without the brackets that IPv6 addresses may have here.
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
    /// True if people may name any public server with TLS, besides those that are added.
    package var takesAnyPublic: Bool

    package init(added: [Added] = [], takesAnyPublic: Bool = false) {
        (self.added, self.takesAnyPublic) = (added, takesAnyPublic)
    }

    /// The services of Apple, Google (the second for Chromium without Google's keys), Mozilla and Microsoft, with their subdomains.
    private static let known = [
        "push.apple.com", "fcm.googleapis.com", "jmt17.google.com", "updates.push.services.mozilla.com", "notify.windows.com",
    ]

    /// Why this server may not be called; nil if it may. Each connection also checks that its address is public.
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
