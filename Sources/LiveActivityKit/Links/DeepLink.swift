public import Foundation

/// Target of a tap on a card or an alert: `heliograph://session/<id>` or `heliograph://approval/<session>/<id>`.
///
/// Anyone can make such a link, so a link only chooses a view: it never decides anything.
public enum DeepLink: Hashable, Sendable {
    case session(String)
    case approval(session: String, id: String)

    public static let scheme = "heliograph"

    /// Nil if this is not an identifier of the relay.
    public init?(session: String) {
        guard Self.isIdentifier(session) else { return nil }
        self = .session(session)
    }

    /// Nil unless both are identifiers of the relay.
    public init?(session: String, approval: String) {
        guard Self.isIdentifier(session), Self.isIdentifier(approval) else { return nil }
        self = .approval(session: session, id: approval)
    }

    public init(_ url: URL) throws(LiveActivityError) { try self.init(parsing: url.absoluteString) }

    /// Accepts exactly the output of `text`, with the scheme in either case. Throws `badLink`.
    public init(parsing text: String) throws(LiveActivityError) {
        let prefix = Self.scheme + "://"
        guard text.utf8.count <= 256, text.prefix(prefix.count).lowercased() == prefix else {
            throw LiveActivityError(.badLink, "a link begins with \(prefix)")
        }
        let parts = text.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let link: DeepLink? =
            switch (parts.first, parts.count) {
            case ("session", 2): DeepLink(session: parts[1])
            case ("approval", 3): DeepLink(session: parts[1], approval: parts[2])
            case ("session", _), ("approval", _):
                throw LiveActivityError(.badLink, "this is session/<id> or approval/<session>/<id>, and nothing more")
            default: throw LiveActivityError(.badLink, "a link leads to a session or to an approval")
            }
        guard let link else {
            throw LiveActivityError(.badLink, "an identifier is 1 to 64 of A-Z a-z 0-9 _ -")
        }
        self = link
    }

    public var session: String {
        switch self {
        case .session(let session), .approval(let session, _): session
        }
    }

    public var text: String {
        switch self {
        case .session(let session): "\(Self.scheme)://session/\(session)"
        case .approval(let session, let id): "\(Self.scheme)://approval/\(session)/\(id)"
        }
    }

    /// Identifiers have no characters that a URL would escape.
    public var url: URL { URL(string: text)! }

    static func isIdentifier(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
