import RelayCore
import RelayProtocol
import Testing

@testable import HeliographServer

@Suite("A token")
struct AuthenticatorTests {
    @Test("lets nobody in where a damaged file no longer says for whom it speaks, and takes nobody else's place")
    func improperSubjects() throws {
        let workspace = try #require(WorkspaceID("home"))
        func token(_ number: UInt8, _ role: PairingRole, _ subject: String) -> Token {
            Token(
                id: "t\(number)", digest: [UInt8](repeating: number, count: 32), role: role, subject: subject, name: "Ada",
                workspace: workspace, createdAt: 0)
        }
        let (proper, damaged) = (
            [token(1, .client, "phone"), token(2, .host, "laptop")], [token(3, .client, "ph\u{0}ne"), token(4, .host, "")]
        )
        var authenticator = Authenticator(publicURL: nil)
        authenticator.replaceTokens(damaged + proper)
        #expect(proper.allSatisfy { authenticator.knows($0) })
        #expect(!damaged.contains { authenticator.knows($0) })
        #expect(authenticator.clients.count == 1)
    }

    @Test("lets nobody in where it was revoked, though it is known as the one that let others in")
    func revoked() throws {
        var token = Token(
            id: "t1", digest: [UInt8](repeating: 1, count: 32), role: .client, subject: "phone", name: "Ada",
            workspace: try #require(WorkspaceID("home")), createdAt: 0)
        var authenticator = Authenticator(publicURL: nil)
        authenticator.replaceTokens([token])
        #expect(authenticator.knows(token))
        token.revokedAt = 1
        authenticator.replaceTokens([token])
        #expect(!authenticator.knows(token) && authenticator.shared(ofDigest: token.digest) == nil)
    }
}
