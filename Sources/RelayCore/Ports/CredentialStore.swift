package import RelayProtocol

/// The port to the credentials: workspaces, tokens and pairing codes. Secrets are stored as SHA-256 only.
///
/// Two processes use it at once (the relay, and the command line), so implementations cache nothing.
/// Adding something that contradicts what is stored throws `conflict`: a name or secret that is taken, a workspace that does not
/// exist.
/// Called on any thread; a write waits for others and takes as long as the disk. One contract suite (`CredentialStoreContract`)
/// runs on every implementation.
package protocol CredentialStore: Sendable {
    /// The workspaces, oldest first.
    func workspaces() throws(LogError) -> [Named<WorkspaceTag>]
    /// Creates the first workspace if there is none, and returns the oldest. Calling it again changes nothing.
    func bootstrap(workspaceName: String) throws(LogError) -> Named<WorkspaceTag>

    /// Every token that is not revoked.
    func tokens() throws(LogError) -> [Token]
    /// All tokens, revoked ones included, newest first; for `token list`.
    func allTokens() throws(LogError) -> [Token]
    /// All tokens of one workspace, in the same order. A token is let in by another of its workspace, so their lineage is complete.
    func tokens(of workspace: WorkspaceID) throws(LogError) -> [Token]
    /// One token, revoked or not; nil if there is none.
    func token(_ id: String) throws(LogError) -> Token?
    func addToken(_ token: Token) throws(LogError)
    /// Revokes a token and, unless `keepsChildren`, those paired through it, directly or indirectly, in one transaction. Returns
    /// the tokens that it revoked, the named one first: none if there is no such token, or nothing is left to revoke.
    func revoke(_ revocation: TokenRevocation) throws(LogError) -> [Token]
    /// Renames a token that is not revoked, and returns it; nil if there is none.
    func rename(_ renaming: TokenRenaming) throws(LogError) -> Token?
    /// Records when each token was last used, in milliseconds since 1970; a time never goes back. Unknown tokens are ignored.
    func noteUses(_ uses: [String: TokenUse]) throws(LogError)

    func addPairingCode(_ code: PairingCode) throws(LogError)
    /// Pairing codes that `redeemPairingCode` accepts at `now`. Writes nothing.
    func openPairingCodes(at now: Int64) throws(LogError) -> [PairingCode]
    /// Marks the code as used and adds the token that `make` builds from it, in one transaction; nil if the code is unknown, used,
    /// or expired (`now >= expiresAt`), or the token that made the code is revoked or has reached a limit of `TokenLineage`. Of two
    /// simultaneous callers only one gets a token.
    func redeemPairingCode(digest: [UInt8], now: Int64, make: (PairingCode) -> Token) throws(LogError) -> Token?
    /// Removes codes that expired before `now`.
    func removePairingCodes(expiredBefore now: Int64) throws(LogError)
}

/// A single-use code that becomes a token.
package struct PairingCode: Sendable, Equatable {
    /// SHA-256 of the code, 32 bytes.
    package var digest: [UInt8]
    package var role: PairingRole
    package var workspace: WorkspaceID
    /// Milliseconds since 1970.
    package var expiresAt: Int64
    /// The token that made the code; nil: made on the relay's own machine.
    package var parent: String?

    package init(digest: [UInt8], role: PairingRole, workspace: WorkspaceID, expiresAt: Int64, parent: String? = nil) {
        self.digest = digest
        self.role = role
        self.workspace = workspace
        self.expiresAt = expiresAt
        self.parent = parent
    }
}
