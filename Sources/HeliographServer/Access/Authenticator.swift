import HeliographCrypto
import HeliographPlatform
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// Finds the token of a request.
///
/// Tokens are looked up by their SHA-256. What an attacker could learn from timing is about the digest, not the token, and the
/// final comparison takes the same time for any two digests.
struct Authenticator {
    private var tokens: [[UInt8]: SharedToken] = [:]
    /// The relay's public origin, for use behind a proxy with TLS.
    let publicOrigin: String?

    enum AuthenticationError: Error {
        /// There is no token, or it is unknown, revoked, or not presented as its kind requires: these are not distinguished.
        case unknown
        case foreignOrigin
        /// The token's role does not permit this.
        case wrongRole
    }

    init(publicURL: String?) { publicOrigin = publicURL.map(Self.origin) }

    // MARK: - Tokens

    /// Sets the valid tokens. Revoked ones are left out, and also those with an invalid subject, which only a damaged file can
    /// have.
    mutating func replaceTokens(_ current: [Token]) {
        let proper = current.lazy.filter { token in
            token.revokedAt == nil && (token.role.isClient ? ClientID(token.subject) != nil : HostID(token.subject) != nil)
        }
        tokens = Dictionary(proper.map { ($0.digest, SharedToken($0)) }, uniquingKeysWith: { first, _ in first })
    }

    func knows(_ token: Token) -> Bool { tokens[token.digest] != nil }

    /// The token with this digest, which another node has authenticated.
    func shared(ofDigest digest: [UInt8]) -> SharedToken? { tokens[digest] }

    /// Every client that has a token.
    var clients: Set<ClientKey> {
        Set(
            tokens.values.lazy.map(\.token).filter { $0.role.isClient }.compactMap { token in
                ClientID(token.subject).map { ClientKey(workspace: token.workspace, client: $0) }
            })
    }

    private func token(for secret: String) -> Token? {
        let digest = Secret.digest(ofToken: secret)
        guard let token = tokens[digest]?.token, Crypto.equal(token.digest, digest) else { return nil }
        return token
    }

    /// The token of an `Authorization` header. Never a browser's: another server that gets its cookie could send it so.
    func token(forBearer secret: String) -> Token? {
        guard let token = token(for: secret) else { return nil }
        switch token.kind {
        case .program, .terminal, .app, .host: return token
        case .browser, .unsure: return nil
        }
    }

    private func token(forCookies cookies: [String], _ pageKey: String?) -> Token? {
        guard let pageKey else { return nil }
        let digest = Secret.digest(ofToken: pageKey)
        return cookies.lazy.compactMap(token(for:)).first { token in
            token.kind == .browser && token.pageKeyDigest.map { Crypto.equal($0, digest) } == true
        }
    }

    // MARK: - Requests

    /// The token of this request. `scope`: what the path requires.
    func authenticate(_ request: HTTPRequest, to scope: Scope, isUpgrade: Bool) throws(AuthenticationError) -> Token {
        let origin = request.header("origin")
        if let origin, !isOwn(origin, request) { throw .foreignOrigin }
        let found: Token?
        let cookies = BrowserCookie.values(in: request)
        if let bearer = Self.bearer(in: request) {
            found = token(forBearer: bearer)
        } else if !cookies.isEmpty {
            // A browser adds the cookie to requests of any page, so a page has to prove that it is ours.
            if origin == nil && (isUpgrade || request.method != "GET") { throw .foreignOrigin }
            found = token(forCookies: cookies, PageKey.shown(in: request, isUpgrade: isUpgrade))
        } else {
            found = nil
        }
        guard let found else { throw .unknown }
        guard found.scope.allows(scope) else { throw .wrongRole }
        return found
    }

    /// The peer of this request, which has a token of this authenticator.
    func peer(_ request: HTTPRequest, by token: Token, countedAt address: Peer?) -> AuthenticatedPeer {
        AuthenticatedPeer(
            shared: tokens[token.digest] ?? SharedToken(token), baseURL: linkBase(for: request), peer: request.peer,
            address: address)
    }

    /// True if an `Origin` is this relay's: the address that was requested, or the configured public one.
    func isOwn(_ origin: String, _ request: HTTPRequest) -> Bool {
        let origin = Self.origin(origin)
        if origin == publicOrigin { return true }
        // If the relay has a public name, other names that lead here may be an attacker's (DNS rebinding). An IP address cannot be
        // redirected by DNS.
        guard let host = request.header("host"), publicOrigin == nil || Self.isAddress(host) else { return false }
        return origin == Self.baseURL(of: request)
    }

    /// True if the `Host` is a name or address that an attacker's DNS cannot redirect: this machine's own, or an IP address.
    private static func isAddress(_ host: String) -> Bool {
        guard let name = HostHeader.name(in: host) else { return false }
        return Loopback.contains(name) || IPAddress(name[...]) != nil
    }

    /// The URL with which the sender reached us.
    static func baseURL(of request: HTTPRequest) -> String {
        "\(request.isTLS ? "https" : "http")://\((request.header("host") ?? "localhost").lowercased())"
    }

    /// Base URL for links that this sender can open: behind a proxy that is the public address.
    func linkBase(for request: HTTPRequest) -> String {
        if let origin = request.header("origin"), isOwn(origin, request) { return Self.origin(origin) }
        return publicOrigin ?? Self.baseURL(of: request)
    }

    func isSecure(_ request: HTTPRequest) -> Bool { linkBase(for: request).hasPrefix("https://") }

    /// The digest of a request's token, valid or not; nil if it has none. If there are several cookies, the first one is used.
    static func digest(in request: HTTPRequest) -> [UInt8]? {
        (bearer(in: request) ?? BrowserCookie.values(in: request).first).map(Secret.digest(ofToken:))
    }

    static func bearer(in request: HTTPRequest) -> String? {
        guard let value = request.header("authorization"), value.lowercased().hasPrefix("bearer ") else { return nil }
        return String(value.dropFirst("bearer ".count))
    }

    /// Normalises an origin: `https://Relay.example/` and `https://relay.example` are the same.
    private static func origin(_ url: String) -> String {
        var url = url.lowercased()
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }
}
