import HeliographCrypto
import RelayCore
import RelayModel
import RelayProtocol
import Testing
import WebSocketEngine

@testable import HeliographServer

@Suite("The two kinds of credentials")
struct CredentialKindTests {
    private let origin = "http://127.0.0.1:8787"

    /// A authenticator that knows one token of each kind, each with a page's key.
    private func authenticator() throws -> Authenticator {
        let workspace = try #require(WorkspaceID("home"))
        var authenticator = Authenticator(publicURL: nil)
        authenticator.replaceTokens(
            Token.Kind.allCases.map { kind in
                Token(
                    id: kind.rawValue, digest: Secret.digest(ofToken: "secret-\(kind)"), role: kind == .host ? .host : .client,
                    kind: kind, subject: "\(kind)", name: "Ada", workspace: workspace,
                    pageKeyDigest: Secret.digest(ofToken: "key-\(kind)"), createdAt: 0)
            })
        return authenticator
    }

    private func request(_ headers: [(name: String, value: String)]) -> HTTPRequest {
        HTTPRequest(
            method: "GET", path: "/v1/me", query: nil, headers: [("host", "127.0.0.1:8787"), ("origin", origin)] + headers,
            peer: .ip("127.0.0.1"), isTLS: false)
    }

    @Test("a browser's token is taken in its cookie with its own page's key, and in no other way", arguments: [false, true])
    func kinds(isUpgrade: Bool) throws {
        let authenticator = try authenticator()
        func key(_ key: String) -> (String, String) {
            isUpgrade ? ("sec-websocket-protocol", "heliograph.v1, key.\(key)") : ("heliograph-key", key)
        }
        for kind in Token.Kind.allCases {
            let bearer = request([("authorization", "Bearer secret-\(kind)"), key("key-\(kind)")])
            let cookie = request([("cookie", "heliograph=secret-\(kind)"), key("key-\(kind)")])
            let isProgram = kind != .browser && kind != .unsure
            #expect((try? authenticator.authenticate(bearer, to: [], isUpgrade: isUpgrade))?.kind == (isProgram ? kind : nil))
            #expect(
                (try? authenticator.authenticate(cookie, to: [], isUpgrade: isUpgrade))?.kind
                    == (kind == .browser ? kind : nil))
            #expect((try? authenticator.authenticate(request([key("key-\(kind)")]), to: [], isUpgrade: isUpgrade)) == nil)
        }
        for wrong in [key("key-app"), key(""), key("secret-browser"), ("x", "y")] {
            let request = request([("cookie", "heliograph=secret-browser"), wrong])
            #expect(throws: Authenticator.AuthenticationError.unknown) {
                try authenticator.authenticate(request, to: [], isUpgrade: isUpgrade)
            }
        }
    }

    @Test("of several cookies of the name the one of this page counts, among more than a browser keeps")
    func severalCookies() throws {
        let authenticator = try authenticator()
        func found(_ cookies: String) -> String? {
            let request = request([("cookie", cookies), ("heliograph-key", "key-browser")])
            return try? authenticator.authenticate(request, to: [], isUpgrade: false).id
        }
        #expect(found("a=b; heliograph=x; __Host-heliograph=secret-browser;heliograph=y") == "browser")
        #expect(found("heliograph=; heliograph=secret-app; heliograph=secret-browser") == "browser")
        #expect(found(String(repeating: "heliograph=x; ", count: 999) + "heliograph=secret-browser") == "browser")
        #expect(found(String(repeating: "heliograph=x; ", count: 1_000) + "heliograph=secret-browser") == nil)
        #expect(found("heliographs=secret-browser; xheliograph=secret-browser") == nil)
    }
}
