/// Paths that only exist on the admin socket, for commands on the relay's own machine.
enum AdminPath {
    /// Reads the tokens again.
    static let reload = "/v1/admin/reload"
    /// Reads the push configuration again, and reports its state.
    static let push = "/v1/admin/push"
    /// Asks Apple about each key.
    static let pushQuestion = "/v1/admin/push/ask"
    /// Confirms the machine's clock.
    static let clock = "/v1/admin/clock"
    /// Makes the secret of `WayMark`.
    static let way = "/v1/admin/way"
    static let tokens = "/v1/admin/tokens"
    static let report = "/v1/admin/report"

    static func revocation(of token: String) -> String { "\(tokens)/\(token)/revoke" }

    /// The token that a request to this path revokes; nil: none.
    static func token(revokedBy path: String) -> String? {
        guard path.hasPrefix(tokens + "/"), path.hasSuffix("/revoke") else { return nil }
        return String(path.dropFirst(tokens.count + 1).dropLast("/revoke".count))
    }
}
