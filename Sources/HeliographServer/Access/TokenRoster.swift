package import RelayCore
package import RelayProtocol

/// Tokens as people look at them: who let each in, what it let in, when it was last used, and whether it is connected now.
package struct TokenRoster {
    package struct Entry {
        package let token: Token
        /// By which it was let in, revoked or not; nil: the relay's own machine, or one that is not known any more.
        package let parent: Token?
        /// Those that it let in and that are not revoked, directly or through others, nearest first: what goes with it.
        package let children: [Token]
        /// WebSockets that are open by it.
        package let connections: Int
        /// Nil: never, as far as is known.
        package let lastUse: TokenUse?
    }

    /// In the order of the tokens that it was made of.
    package let entries: [Entry]
    /// Why a relay that runs did not say which are connected, and when each was last used; nil where it did, or none runs.
    package let silence: String?

    init(_ tokens: [Token], _ seen: TokenSightings, silence: String? = nil) {
        self.silence = silence
        let byID = Dictionary(tokens.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let lineage = TokenLineage(tokens)
        entries = tokens.map { token in
            Entry(
                token: token, parent: token.parent.flatMap { byID[$0] },
                children: lineage.letIn(by: token.id).filter { $0.revokedAt == nil },
                connections: seen.connections[token.id] ?? 0,
                lastUse: .latest(token.lastUse, seen.uses[token.id]))
        }
    }

    /// How a revocation is answered; to this machine's command line also why the store has not taken it.
    static func revoked(_ tokens: [Token], reason: String? = nil) -> [UInt8] {
        JSONWriter.object { writer in
            writer.array("revoked", tokens.map(\.named))
            writer.field("reason", reason)
        }
    }

    package subscript(id: String) -> Entry? { entries.first { $0.token.id == id } }
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
        writer.field("revokedAt", token.revokedAt)
    }
}

extension Token {
    /// What it is, in some words.
    package var named: [UInt8] { JSONWriter.object { writeNames(to: &$0) } }

    fileprivate func writeNames(to writer: inout JSONWriter) {
        writer.field("id", id)
        writer.field("role", role.rawValue)
        writer.field("kind", kind.rawValue)
        writer.field("name", name)
    }
}
