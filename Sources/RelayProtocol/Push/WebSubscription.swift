/// A browser's push subscription as on the wire. The channel checks whether the endpoint may be called.
///
/// Secret: anyone who has all three fields can send notifications to that browser. Description and reflection show the push service
/// only.
package struct WebSubscription: Sendable, Hashable {
    /// URL that pushes are sent to.
    package let endpoint: String
    /// The browser's public key, a point of P-256: 65 bytes in base64url without padding.
    package let p256dh: String
    /// The authentication secret: 16 bytes in base64url without padding.
    package let auth: String

    package init(endpoint: String, p256dh: String, auth: String) {
        (self.endpoint, self.p256dh, self.auth) = (endpoint, p256dh, auth)
    }

    /// Limit in bytes; today's push services use 150 to 700.
    package static let endpointBytesMax = 2_048
    static let endpointPattern = "^[!-~]{1,\(endpointBytesMax)}$"
    /// The first byte is 0x04; the last digit carries four bits.
    static let publicKeyPattern = "^B[A-P][A-Za-z0-9_-]{84}[AEIMQUYcgkosw048]$"
    static let publicKeyExample =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    /// The last digit carries two bits.
    static let authenticationPattern = "^[A-Za-z0-9_-]{21}[AQgw]$"

    // MARK: - As one text

    /// The address as text, for intents: the three parts joined by spaces, which none of them contains.
    package var place: String { "\(endpoint) \(p256dh) \(auth)" }

    /// Parses a `place`; nil if the text is none.
    package init?(place: String) {
        let parts = place.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return nil }
        self.init(endpoint: parts[0], p256dh: parts[1], auth: parts[2])
    }

    /// Host name of the push service, which is not secret.
    package var service: String {
        let authority = endpoint.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).dropFirst(2).first ?? ""
        return String(authority.prefix { !":/?#".contains($0) }.prefix(WireLimits.nameBytesMax))
    }
}

extension WebSubscription: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "subscription at \(service)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

// MARK: - On the wire

extension WebSubscription {
    /// Nil if there is no endpoint.
    init?(from value: JSONValue) throws(WireError) {
        guard let endpoint = try value.object().optionalString("endpoint") else { return nil }
        let isURL = (1...Self.endpointBytesMax).contains(endpoint.utf8.count)
        guard isURL, endpoint.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw WireError(
                .badValue, at: "\(value.path).endpoint", "an endpoint is a URL of at most \(Self.endpointBytesMax) bytes")
        }
        self.init(
            endpoint: endpoint,
            p256dh: try Self.text(value, "p256dh", "a key is a point of P-256: 65 bytes in base64url without padding") {
                $0.utf8.count == 87 && $0.hasPrefix("B") && $0.dropFirst().first.map { ("A"..."P").contains($0) } == true
                    && Base64URL.isSpelled($0.dropLast()) && $0.last.map("AEIMQUYcgkosw048".contains) == true
            },
            auth: try Self.text(value, "auth", "a secret is 16 bytes in base64url without padding") {
                $0.utf8.count == 22 && Base64URL.isSpelled($0.dropLast()) && $0.last.map("AQgw".contains) == true
            })
    }

    private static func text(
        _ value: JSONValue, _ key: StaticString, _ rule: String, isValid: (String) -> Bool
    ) throws(WireError) -> String {
        let text = try value.string(key)
        guard isValid(text) else { throw WireError(.badValue, at: "\(value.path).\(key)", rule) }
        return text
    }

    func write(to writer: inout JSONWriter) {
        writer.field("endpoint", endpoint)
        writer.field("p256dh", p256dh)
        writer.field("auth", auth)
    }
}
