package import RelayModel
package import RelayProtocol

/// One credential. The secret itself is shown once, when the token is made.
package struct Token: Sendable, Equatable {
    /// Kind of the token's holder, which determines how the token has to be presented.
    package enum Kind: String, Sendable, CaseIterable {
        /// Presented in a cookie, which browsers send to every port of the relay's host name: so it is never accepted as
        /// `Authorization`, and only together with the page's own key.
        case browser
        case terminal, app, host
        /// Made by `token create`, or for a program that did not say what it is.
        case program
        /// Paired before the relay distinguished browsers from programs. It may have been in a cookie, so it cannot pair others.
        case unsure
    }

    /// A short name by which it can be revoked: `[A-Za-z0-9_-]`.
    package var id: String
    /// SHA-256 of the secret, 32 bytes.
    package var digest: [UInt8]
    package var role: PairingRole
    package var kind: Kind
    /// Identifier of the host or client that the token stands for.
    package var subject: String
    /// The name of the host or client, as people chose it.
    package var name: String
    package var workspace: WorkspaceID
    /// The token that made its pairing code; nil: made on the relay's own machine.
    package var parent: String?
    /// SHA-256 of the key that a browser's page keeps, 32 bytes; nil for other kinds.
    package var pageKeyDigest: [UInt8]?
    /// Milliseconds since 1970.
    package var createdAt: Int64
    package var revokedAt: Int64?
    /// The last recorded use.
    package var lastUse: TokenUse?

    package var scope: Scope { Scope(of: role) }

    package init(
        id: String, digest: [UInt8], role: PairingRole, kind: Kind = .program, subject: String, name: String,
        workspace: WorkspaceID, parent: String? = nil, pageKeyDigest: [UInt8]? = nil, createdAt: Int64, revokedAt: Int64? = nil,
        lastUse: TokenUse? = nil
    ) {
        self.id = id
        self.digest = digest
        self.role = role
        self.kind = kind
        self.subject = subject
        self.name = name
        self.workspace = workspace
        self.parent = parent
        self.pageKeyDigest = pageKeyDigest
        self.createdAt = createdAt
        self.revokedAt = revokedAt
        self.lastUse = lastUse
    }
}

/// One successful use of a token.
package struct TokenUse: Sendable, Equatable {
    /// Milliseconds since 1970.
    package var at: Int64
    /// The numeric address as far as the relay knows it: behind an untrusted proxy it is the proxy's. Nil: a Unix-domain socket, or
    /// a use from before addresses were recorded.
    package var from: String?

    package init(at: Int64, from: String?) {
        self.at = at
        self.from = from
    }

    /// Nil if no time was recorded.
    package init?(recordedAt at: Int64?, from: String?) {
        guard let at else { return nil }
        self.init(at: at, from: from)
    }

    /// The later of two uses; if the times are equal, the second.
    package static func latest(_ first: TokenUse?, _ second: TokenUse?) -> TokenUse? {
        guard let first, let second else { return first ?? second }
        return second.at >= first.at ? second : first
    }
}

/// A revocation: the token, the options, and who requested it.
package struct TokenRevocation: Sendable {
    package var id: String
    /// Workspace that the token must be in; nil: any.
    package var workspace: WorkspaceID?
    /// True if tokens that were paired through this one stay valid.
    package var keepsChildren: Bool
    /// The token that requested it; nil: the relay's own machine.
    package var by: String?
    /// Milliseconds since 1970.
    package var at: Int64

    package init(id: String, in workspace: WorkspaceID? = nil, keepsChildren: Bool = false, by: String? = nil, at: Int64) {
        self.id = id
        self.workspace = workspace
        self.keepsChildren = keepsChildren
        self.by = by
        self.at = at
    }

    /// The tokens that this revocation ends, the named one first.
    package func ended(of tokens: [Token]) -> [Token] {
        let named = tokens.filter { $0.id == id && (workspace == nil || $0.workspace == workspace) }
        let all = named + (keepsChildren ? [] : named.flatMap { TokenLineage(tokens).letIn(by: $0.id) })
        return all.filter { $0.revokedAt == nil }
    }
}

extension [TokenRevocation] {
    /// `tokens` after these revocations, one after the other.
    package func applied(to tokens: [Token]) -> [Token] {
        reduce(tokens) { tokens, revocation in
            let ended = Set(revocation.ended(of: tokens).map(\.id))
            return tokens.map { token in
                var token = token
                if ended.contains(token.id) { token.revokedAt = revocation.at }
                return token
            }
        }
    }
}

/// A new name for one token, within its workspace. Records of its earlier actions keep the old name.
package struct TokenRenaming: Sendable {
    package var id: String
    package var workspace: WorkspaceID
    package var name: String
    /// The token that requested it.
    package var by: String
    /// Milliseconds since 1970.
    package var at: Int64

    package init(id: String, in workspace: WorkspaceID, name: String, by: String, at: Int64) {
        self.id = id
        self.workspace = workspace
        self.name = name
        self.by = by
        self.at = at
    }

    package func concerns(_ token: Token) -> Bool {
        token.id == id && token.workspace == workspace && token.revokedAt == nil
    }
}
