/// Destination of one browser's pushes. A secret: with it and the keys anybody can ring that phone, so only its host is ever shown.
package struct WebPushEndpoint: Hashable, Sendable {
    package let origin: WebPushOrigin
    /// Path and query of the endpoint: the subscription's secret.
    let path: String

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
        origin = try Self.origin(rest[..<slash])
        path = String(rest[slash...])
        guard path.utf8.count > 1 else { throw Self.invalid("has a path") }
        guard services.allows(origin) else {
            throw WebPushError(.serviceNotAllowed, "\(origin.authority) is not a push service that this relay calls")
        }
    }

    /// The whole address: for the data file alone.
    package var secretText: String { origin.description + path }

    private static let scheme = "https://"

    private static func origin(_ authority: Substring) throws(WebPushError) -> WebPushOrigin {
        let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, HostName.isValid(host) else {
            throw invalid("names its host in lower case, without a user, and by no address")
        }
        guard parts.count == 2 else { return WebPushOrigin(host: String(host), port: WebPushOrigin.defaultPort) }
        guard let port = UInt16(parts[1]), port > 0, String(port) == parts[1] else {
            throw invalid("has a port that is a number")
        }
        return WebPushOrigin(host: String(host), port: port)
    }

    /// Printable ASCII that stands in a URL. Neither `#` nor `\`, which some parsers take for a slash.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !Array(##""#<>\^`{|}"##.utf8).contains(byte)
    }

    private static func invalid(_ rule: String) -> WebPushError {
        WebPushError(.invalidEndpoint, "the address of a subscription \(rule)")
    }
}

extension WebPushEndpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { origin.description + "/…" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
