/// Destination of a person's pushes on an ntfy server: https://docs.ntfy.sh/publish/.
///
/// Secret: on most servers anyone who knows a topic can read it. Description and reflection show the server only.
package struct NtfyTopic: Sendable, Hashable {
    /// Scheme, name and port, as a URL begins.
    package let server: String
    package let topic: String
    /// Access token with which the relay publishes; nil if the server accepts messages without one.
    package let token: String?

    package init(server: String, topic: String, token: String? = nil) {
        (self.server, self.topic, self.token) = (server, topic, token)
    }

    static let serverPattern = "^https?://[a-z0-9.-]{1,253}(:[0-9]{1,5})?$"
    /// The topics that ntfy's servers accept.
    static let topicPattern = "^[A-Za-z0-9_-]{1,64}$"
    /// A token of ntfy has 32 bytes; other servers may make longer ones.
    static let tokenPattern = "^[!-~]{1,256}$"

    // MARK: - As one text

    /// The address as text, for intents: the three parts joined by spaces, which none of them contains.
    package var place: String { ([server, topic] + [token].compactMap(\.self)).joined(separator: " ") }

    /// Parses a `place`; nil if the text is none.
    package init?(place: String) {
        let parts = place.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count) else { return nil }
        self.init(server: parts[0], topic: parts[1], token: parts.count == 3 ? parts[2] : nil)
    }

    /// Parses a pasted link such as `https://ntfy.sh/topic`; nil if the text is none.
    package init?(link: String, token: String? = nil) {
        let parts = link.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let server = parts[..<3].joined(separator: "/").lowercased()
        guard Self.isServer(server), Self.isTopic(parts[3]), token.map(Self.isToken) ?? true else { return nil }
        self.init(server: server, topic: String(parts[3]), token: token)
    }

    // MARK: - Rules

    private static func isServer(_ text: String) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
        let parts = text.dropFirst(scheme.count).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let isName = (1...253).contains(parts[0].utf8.count) && parts[0].utf8.allSatisfy(Self.isOfName)
        guard isName, parts.count == 2 else { return isName }
        return (1...5).contains(parts[1].utf8.count) && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private static func isTopic(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count) && Base64URL.isSpelled(text)
    }

    private static func isToken(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension NtfyTopic: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "topic at \(server)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

// MARK: - On the wire

extension NtfyTopic {
    /// Nil if there is no server.
    init?(from value: JSONValue) throws(WireError) {
        guard let server = try value.object().optionalString("server") else { return nil }
        let (topic, token) = (try value.string("topic"), try value.optionalString("token"))
        let faults: [(isRight: Bool, field: String, rule: String)] = [
            (Self.isServer(server), "server", "a server is https:// or http:// and a name in lower case, perhaps with a port"),
            (Self.isTopic(topic), "topic", "a topic is 1 to 64 letters, digits, hyphens and underscores"),
            (token.map(Self.isToken) ?? true, "token", "a token is up to 256 printable characters without a space"),
        ]
        if let fault = faults.first(where: { !$0.isRight }) {
            throw WireError(.badValue, at: "\(value.path).\(fault.field)", fault.rule)
        }
        self.init(server: server, topic: topic, token: token)
    }

    func write(to writer: inout JSONWriter) {
        writer.field("server", server)
        writer.field("topic", topic)
        writer.field("token", token)
    }
}
