import RelayCore
import RelayProtocol
import Testing

@testable import HeliographServer

@Suite("A token that a damaged file has changed")
struct AuthenticatorTests {
    @Test("lets nobody in where it no longer says for whom it speaks, and takes nobody else's place")
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
}
