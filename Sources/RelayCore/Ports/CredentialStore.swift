package import RelayProtocol

/// The port to who may connect: workspaces, tokens and pairing codes. Secrets are kept as SHA-256 only.
///
/// Two processes use it at once (the relay, and the command line), so nothing is cached behind it.
/// One contract suite (`CredentialStoreContract`) runs on every implementation.
package protocol CredentialStore: Sendable {
    func workspaces() throws -> [Named<WorkspaceTag>]
    func addWorkspace(_ workspace: Named<WorkspaceTag>) throws

    /// Every token that is not revoked.
    func tokens() throws -> [Token]
    /// Also the revoked, newest first; for `token list`.
    func allTokens() throws -> [Token]
    func addToken(_ token: Token) throws
    /// False where there is no such token or it is revoked already. `at` in milliseconds since 1970.
    func revokeToken(id: String, at: Int64) throws -> Bool

    func addPairingCode(_ code: PairingCode) throws
    /// Marks the code as used and adds the token that `make` builds from it, in one transaction; nil where the code is unknown,
    /// used, or `now >= expiresAt`. Of two callers at once, one gets it.
    func redeemPairingCode(digest: [UInt8], now: Int64, make: (PairingCode) -> Token) throws -> Token?
    /// Forgets codes that expired before `now`.
    func removePairingCodes(expiredBefore now: Int64) throws
}

/// One credential. The secret itself is shown once, when it is made.
package struct Token: Sendable, Equatable {
    /// A short name to revoke it by: `[A-Za-z0-9_-]`.
    package var id: String
    /// SHA-256 of the secret, 32 bytes.
    package var digest: [UInt8]
    package var role: PairingRole
    /// The host or client that it speaks for, as an identifier.
    package var subject: String
    /// What people call that host or client.
    package var name: String
    package var workspace: WorkspaceID
    /// Milliseconds since 1970.
    package var createdAt: Int64
    package var revokedAt: Int64?

    package init(
        id: String, digest: [UInt8], role: PairingRole, subject: String, name: String, workspace: WorkspaceID,
        createdAt: Int64, revokedAt: Int64? = nil
    ) {
        self.id = id
        self.digest = digest
        self.role = role
        self.subject = subject
        self.name = name
        self.workspace = workspace
        self.createdAt = createdAt
        self.revokedAt = revokedAt
    }
}

/// A single-use code that becomes a token.
package struct PairingCode: Sendable, Equatable {
    /// SHA-256 of the code, 32 bytes.
    package var digest: [UInt8]
    package var role: PairingRole
    package var workspace: WorkspaceID
    /// Milliseconds since 1970.
    package var expiresAt: Int64

    package init(digest: [UInt8], role: PairingRole, workspace: WorkspaceID, expiresAt: Int64) {
        self.digest = digest
        self.role = role
        self.workspace = workspace
        self.expiresAt = expiresAt
    }
}
