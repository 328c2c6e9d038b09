/// Destination of one browser's pushes, of one topic's, or of a webhook's. Secret: anyone who has it and the keys can ring that
/// phone, so only its host is ever shown.
package struct WebPushEndpoint: Hashable, Sendable {
    package let origin: WebPushOrigin
    /// Path and query of the endpoint: the subscription's secret.
    let path: String
    /// The queue at that address, for a server with one address for all topics: its secrets, separated by spaces. Empty for a
    /// browser's.
    let queue: String
    /// True for a webhook, which reports itself when it is gone.
    let isWebhook: Bool

    /// Longer ones are refused. Those of today's services have 150 to 700 bytes.
    package static let bytesMax = 2_048

    /// `text` is what a browser calls `endpoint`. Throws `invalidEndpoint`, or `serviceNotAllowed`.
    package init(_ text: String, of services: WebPushServices) throws(WebPushError) {
        guard text.utf8.count <= Self.bytesMax, text.utf8.allSatisfy(Self.isAllowed) else {
            throw Self.invalid("has at most \(Self.bytesMax) bytes of a URL, and no fragment")
        }
        guard text.hasPrefix(Self.scheme) else { throw Self.invalid("begins with \(Self.scheme)") }
        let rest = text.dropFirst(Self.scheme.count)
        guard let slash = rest.firstIndex(of: "/") else { throw Self.invalid("has a path") }
        origin = try Self.origin(rest[..<slash], isPlain: false, HostName.isValid)
        path = String(rest[slash...])
        (queue, isWebhook) = ("", false)
        guard path.utf8.count > 1 else { throw Self.invalid("has a path") }
        guard services.allows(origin) else {
            throw WebPushError(.serviceNotAllowed, "\(origin.authority) is not a push service that this relay calls")
        }
    }

    /// A server's root, such as `https://ntfy.sh`; requests of one `queue` are sent in order. Throws like `init(_:of:)`.
    package init(server text: String, queue: String, of services: WebPushServices) throws(WebPushError) {
        guard let scheme = [Self.scheme, Self.plainScheme].first(where: text.hasPrefix), text.utf8.count <= Self.bytesMax else {
            throw WebPushError(.invalidEndpoint, "a server's address begins with \(Self.scheme)")
        }
        origin = try Self.origin(text.dropFirst(scheme.count), isPlain: scheme == Self.plainScheme) {
            HostName.isValid($0) || PublicAddress.isAddress(String($0))
        }
        (path, self.queue, isWebhook) = ("/", queue, false)
        if let reason = services.refusal(ofServer: origin) { throw WebPushError(.serviceNotAllowed, reason) }
    }

    /// A webhook's address, such as `https://chat.example/hooks/a1b2`. Throws like `init(_:of:)`.
    package init(webhook text: String, of services: WebPushServices) throws(WebPushError) {
        guard let scheme = [Self.scheme, Self.plainScheme].first(where: text.hasPrefix), text.utf8.count <= Self.bytesMax,
            text.utf8.allSatisfy(Self.isAllowed)
        else {
            throw Self.invalid("has at most \(Self.bytesMax) bytes of a URL that begins with \(Self.scheme), and no fragment")
        }
        let rest = text.dropFirst(scheme.count)
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        origin = try Self.origin(rest[..<end], isPlain: scheme == Self.plainScheme) {
            HostName.isValid($0) || PublicAddress.isAddress(String($0))
        }
        path = end == rest.endIndex ? "/" : String(rest[end...])
        (queue, isWebhook) = (path, true)
        if let reason = services.refusal(ofServer: origin) { throw WebPushError(.serviceNotAllowed, reason) }
    }

    /// The parts of the address that must not appear in text for the operator.
    var secrets: [Substring] { (path + " " + queue).split { "/?=& ".contains($0) }.filter { $0.utf8.count >= 8 } }

    /// The whole address, for the data file only.
    package var secretText: String { origin.description + path }

    private static let scheme = "https://"
    private static let plainScheme = "http://"

    private static func origin(
        _ authority: Substring, isPlain: Bool, _ isHost: (Substring) -> Bool
    ) throws(WebPushError) -> WebPushOrigin {
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, isHost(host) else {
            throw invalid("names its host in lower case, without a user, and by no address")
        }
        guard parts.count == 2 else {
            return WebPushOrigin(host: String(host), port: WebPushOrigin.usualPort(isPlain: isPlain), isPlain: isPlain)
        }
        guard let port = UInt16(parts[1]), port > 0, String(port) == parts[1] else {
            throw invalid("has a port that is a number")
        }
        return WebPushOrigin(host: String(host), port: port, isPlain: isPlain)
    }

    /// True for printable ASCII that a URL may contain, except `#` and `\`, which some parsers treat as a slash.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !Array(##""#<>\^`{|}"##.utf8).contains(byte)
    }

    private static func invalid(_ rule: String) -> WebPushError {
        WebPushError(.invalidEndpoint, "the address \(rule)")
    }
}

extension WebPushEndpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { origin.description + "/…" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
