package import RelayCore
package import RelayProtocol

/// Tokens as shown to people: through which token each was paired, which it has paired, its last use, and whether it is connected
/// now.
package struct TokenRoster {
    package struct Entry {
        package let token: Token
        /// The token through which it was paired, revoked or not; nil: the relay's own machine, or a token that is no longer known.
        package let parent: Token?
        /// The nearest valid tokens that were paired through it, directly or indirectly: they are revoked with it.
        package let children: [Token]
        /// Number of children that are not listed.
        package let moreChildren: Int
        /// Open WebSockets that use it.
        package let connections: Int
        /// Nil: none is known.
        package let lastUse: TokenUse?
    }

    /// Reason why a running relay did not report connections and uses; nil if it did, or if none runs.
    package let silence: String?
    private let tokens: [Token]
    private let seen: TokenSightings
    private let lineage: TokenLineage
    private let counts: [String: Int]

    /// Entries of one answer. Each takes half a kilobyte, and its children twice that.
    static let pageMax = 200
    /// Children in each entry of a list: as many as a person reads before revoking it. Listing all would grow with the square of a
    /// chain's length.
    private static let childrenMax = 16

    init(_ tokens: [Token], _ seen: TokenSightings, silence: String? = nil) {
        self.silence = silence
        self.tokens = tokens
        self.seen = seen
        lineage = TokenLineage(tokens)
        counts = lineage.validCounts
    }

    /// Entries in the order of the tokens passed to the initialiser.
    package var entries: [Entry] { tokens.map { entry($0, childrenMax: Self.childrenMax) } }

    /// Entry of one token, with all its children.
    package subscript(id: String) -> Entry? { lineage[id].map { entry($0, childrenMax: TokenLineage.letInMax) } }

    /// A page of valid tokens of a workspace, after the one with the id `after`, or from the first on, in the order of the tokens
    /// passed to the initialiser. `next`: the id to continue after; nil if there are no more. Returns nil if there is no token
    /// `after`.
    func page(of workspace: WorkspaceID, after: String?) -> (entries: [Entry], next: String?)? {
        var rest = tokens[...]
        if let after {
            guard let index = tokens.firstIndex(where: { $0.id == after && $0.workspace == workspace }) else { return nil }
            rest = tokens[(index + 1)...]
        }
        let shown = Array(
            rest.lazy.filter { $0.workspace == workspace && $0.revokedAt == nil }.prefix(Self.pageMax + 1))
        let page = shown.prefix(Self.pageMax)
        return (
            page.map { entry($0, childrenMax: Self.childrenMax) }, shown.count > page.count ? page.last?.id : nil
        )
    }

    private func entry(_ token: Token, childrenMax: Int) -> Entry {
        let children = lineage.nearest(childrenMax, letInBy: token.id, counts)
        return Entry(
            token: token, parent: token.parent.flatMap { lineage[$0] }, children: children,
            moreChildren: max(0, counts[token.id, default: 0] - children.count),
            connections: seen.connections[token.id] ?? 0,
            lastUse: .latest(token.lastUse, seen.uses[token.id]))
    }

    /// The answer to a revocation; for this machine's command line also with the store's reason for refusing it.
    static func revoked(_ tokens: [Token], reason: String? = nil) -> [UInt8] {
        JSONWriter.object { writer in
            writer.array("revoked", tokens.map(\.named))
            writer.field("reason", reason)
        }
    }
}

extension TokenRoster.Entry {
    package func write(to writer: inout JSONWriter) {
        token.writeNames(to: &writer)
        writer.field("subject", token.subject)
        writer.field("createdAt", token.createdAt)
        if let parent {
            writer.object("by") { writer in
                writer.field("id", parent.id)
                writer.field("name", parent.name)
                writer.flag("revoked", parent.revokedAt != nil)
            }
        }
        writer.field("usedAt", lastUse?.at)
        writer.field("usedFrom", lastUse?.from)
        writer.field("connections", Int64(connections))
        writer.array("children", children.map(\.named))
        if moreChildren > 0 { writer.field("moreChildren", Int64(moreChildren)) }
        writer.field("revokedAt", token.revokedAt)
    }
}

extension Token {
    /// A short description of the token.
    package var named: [UInt8] { JSONWriter.object { writeNames(to: &$0) } }

    fileprivate func writeNames(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("role", role.rawValue)
        writer.field("kind", kind.rawValue)
        writer.field("name", name)
    }
}
