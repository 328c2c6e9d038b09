package import RelayModel
package import RelayProtocol

/// One credential. The secret itself is shown once, when it is made.
package struct Token: Sendable, Equatable {
    /// The holder's kind, and with it how the token has to be presented.
    package enum Kind: String, Sendable, CaseIterable {
        /// In a cookie, which goes to every port of the relay's name: never taken as `Authorization`, and only with the page's own key.
        case browser
        case terminal, app, host
        /// `token create`, or a program that did not say what it is.
        case program
        /// Paired before browsers were told from programs. It may have been a cookie's, so it lets nobody in.
        case unsure
    }

    /// A short name to revoke it by: `[A-Za-z0-9_-]`.
    package var id: String
    /// SHA-256 of the secret, 32 bytes.
    package var digest: [UInt8]
    package var role: PairingRole
    package var kind: Kind
    /// The host or client that it speaks for, as an identifier.
    package var subject: String
    /// The name that people gave to the host or client.
    package var name: String
    package var workspace: WorkspaceID
    /// The token by which the code for it was made; nil: the relay's own machine.
    package var parent: String?
    /// SHA-256 of the key that a browser's page keeps, 32 bytes; nil for all others.
    package var pageKeyDigest: [UInt8]?
    /// Milliseconds since 1970.
    package var createdAt: Int64
    package var revokedAt: Int64?
    /// The last time it was noted that it let somebody in.
    package var lastUse: TokenUse?

    /// The holder's rights.
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

/// One time that a token let somebody in.
package struct TokenUse: Sendable, Equatable {
    /// Milliseconds since 1970.
    package var at: Int64
    /// The numeric address, as far as the relay can tell: behind a proxy that is not trusted it is the proxy's. Nil: a Unix-domain socket,
    /// or noted before addresses were.
    package var from: String?

    package init(at: Int64, from: String?) {
        self.at = at
        self.from = from
    }

    /// Nil if the order was never recorded.
    package init?(recordedAt at: Int64?, from: String?) {
        guard let at else { return nil }
        self.init(at: at, from: from)
    }

    /// The later of two; of two at once the second.
    package static func latest(_ first: TokenUse?, _ second: TokenUse?) -> TokenUse? {
        guard let first, let second else { return first ?? second }
        return second.at >= first.at ? second : first
    }
}

/// The token to be revoked, its options, and who revokes it.
package struct TokenRevocation: Sendable {
    package var id: String
    /// Nil: in whichever it is.
    package var workspace: WorkspaceID?
    /// True if tokens that this one let in stay valid.
    package var keepsChildren: Bool
    /// The token by which it is ordered; nil: the relay's own machine.
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

    /// The tokens that this order ends, the named one first.
    package func ended(of tokens: [Token]) -> [Token] {
        let named = tokens.filter { $0.id == id && (workspace == nil || $0.workspace == workspace) }
        let all = named + (keepsChildren ? [] : named.flatMap { TokenLineage(tokens).letIn(by: $0.id) })
        return all.filter { $0.revokedAt == nil }
    }
}

extension [TokenRevocation] {
    /// `tokens` as they are once these have been carried out, one after the other.
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

/// Another name for one token, within its workspace. What it did before keeps the name that it had.
package struct TokenRenaming: Sendable {
    package var id: String
    package var workspace: WorkspaceID
    package var name: String
    /// The token by which it is ordered.
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
