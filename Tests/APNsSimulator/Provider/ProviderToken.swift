internal import RelayProtocol

/// A provider's JSON web token, parsed but not verified.
struct ProviderToken {
    let text: String
    let keyID: String
    let team: String
    /// Seconds since 1970.
    let issuedAt: Int64
    /// The signed bytes.
    let message: [UInt8]
    let signature: [UInt8]

    /// Nil unless `authorization` is a bearer token of the form that APNs requires.
    init?(authorization: String, takesTextIssuedAt: Bool) {
        let words = authorization.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        let parts = words[1].split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Self.document(parts[0]), let claims = Self.document(parts[1]),
            let signature = Base64.decodeURL(parts[2]),
            (try? header.root.string("alg")) == "ES256",
            let keyID = try? header.root.string("kid"), let team = try? claims.root.string("iss"),
            let issuedAt = Self.issuedAt(in: claims.root, takesText: takesTextIssuedAt)
        else { return nil }
        self.text = String(words[1])
        self.keyID = keyID
        self.team = team
        self.issuedAt = issuedAt
        self.message = Array("\(parts[0]).\(parts[1])".utf8)
        self.signature = signature
    }

    private static func document(_ part: Substring) -> JSONDocument? {
        Base64.decodeURL(part).flatMap { try? JSONDocument(parsing: $0) }
    }

    private static func issuedAt(in claims: JSONValue, takesText: Bool) -> Int64? {
        if let seconds = try? claims.integer("iat") { return seconds }
        guard takesText, let text = try? claims.string("iat") else { return nil }
        return Int64(text)
    }
}
