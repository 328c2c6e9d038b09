/// Paths of the admin socket alone, for the commands of the relay's own machine.
enum AdminPath {
    /// Reads the tokens again.
    static let reload = "/v1/admin/reload"
    /// Reads how pushes are sent again, and says how that is.
    static let push = "/v1/admin/push"
    /// Asks Apple what it thinks of each key.
    static let pushQuestion = "/v1/admin/push/ask"
    /// Believes the machine's clock.
    static let clock = "/v1/admin/clock"
    static let tokens = "/v1/admin/tokens"
    static let report = "/v1/admin/report"

    static func revocation(of token: String) -> String { "\(tokens)/\(token)/revoke" }

    /// The token that a request to this path revokes; nil: none.
    static func token(revokedBy path: String) -> String? {
        guard path.hasPrefix(tokens + "/"), path.hasSuffix("/revoke") else { return nil }
        return String(path.dropFirst(tokens.count + 1).dropLast("/revoke".count))
    }
}
