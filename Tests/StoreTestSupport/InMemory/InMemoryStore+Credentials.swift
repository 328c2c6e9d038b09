package import RelayCore
package import RelayProtocol
internal import Synchronization

extension InMemoryStore: CredentialStore {
    package func workspaces() -> [Named<WorkspaceTag>] { content.withLock { $0.standing } }

    package func bootstrap(workspaceName: String) -> Named<WorkspaceTag> {
        content.withLock { content in
            if let first = content.workspaces.first { return first }
            guard let id = WorkspaceID("default") else { preconditionFailure("seven letters are an identifier") }
            content.workspaces.append(Named(id: id, name: workspaceName))
            return content.workspaces[0]
        }
    }

    package func tokens() -> [Token] { content.withLock { $0.tokens.filter { $0.revokedAt == nil } } }

    package func allTokens() -> [Token] {
        // Reversed first, so that of two made in the same millisecond the later one comes first.
        content.withLock { $0.tokens.reversed().sorted { $0.createdAt > $1.createdAt } }
    }

    package func tokens(of workspace: WorkspaceID) -> [Token] { allTokens().filter { $0.workspace == workspace } }

    package func token(_ id: String) -> Token? { content.withLock { $0.tokens.first { $0.id == id } } }

    package func addToken(_ token: Token) throws(LogError) {
        try content.withLock { content throws(LogError) in try content.add(token) }
    }

    package func revoke(_ revocation: TokenRevocation) -> [Token] {
        content.withLock { content in
            let ended = revocation.ended(of: content.tokens)
            for token in ended { content.change(token.id) { $0.revokedAt = revocation.at } }
            return ended
        }
    }

    package func rename(_ renaming: TokenRenaming) -> Token? {
        content.withLock { content in
            guard let token = content.tokens.first(where: renaming.concerns) else { return nil }
            guard token.name != renaming.name else { return token }
            content.change(token.id) { $0.name = renaming.name }
            return content.tokens.first(where: renaming.concerns)
        }
    }

    package func noteUses(_ uses: [String: TokenUse]) {
        content.withLock { content in
            for (id, use) in uses { content.change(id) { $0.lastUse = .latest($0.lastUse, use) } }
        }
    }

    package func addPairingCode(_ code: PairingCode) throws(LogError) {
        try content.withLock { content throws(LogError) in
            try content.checkWorkspace(code.workspace)
            guard code.digest.count == 32, !content.pairingCodes.contains(where: { $0.code.digest == code.digest }) else {
                throw LogError(.conflict, "There is such a pairing code already, or its digest is none.")
            }
            content.pairingCodes.append((code, false))
        }
    }

    package func openPairingCodes(at now: Int64) -> [PairingCode] {
        content.withLock { content in content.pairingCodes.filter { content.isOpen($0, at: now) }.map(\.code) }
    }

    package func redeemPairingCode(
        digest: [UInt8], now: Int64, make: (PairingCode) -> Token
    ) throws(LogError) -> Token? {
        try content.withLock { content throws(LogError) in
            let index = content.pairingCodes.firstIndex { $0.code.digest == digest && content.isOpen($0, at: now) }
            guard let index else { return nil }
            let code = content.pairingCodes[index].code
            if let parent = code.parent, TokenLineage(content.tokens).bound(reachedBy: parent) != nil { return nil }
            let token = make(code)
            try content.add(token)
            content.pairingCodes[index].isUsed = true
            return token
        }
    }

    package func removePairingCodes(expiredBefore now: Int64) {
        content.withLock { $0.pairingCodes.removeAll { $0.code.expiresAt < now } }
    }
}

extension InMemoryStore.Content {
    fileprivate func isOpen(_ entry: (code: PairingCode, isUsed: Bool), at now: Int64) -> Bool {
        guard !entry.isUsed, now < entry.code.expiresAt else { return false }
        guard let parent = entry.code.parent else { return true }
        return tokens.contains { $0.id == parent && $0.revokedAt == nil }
    }

    mutating func change(_ id: String, _ change: (inout Token) -> Void) {
        if let index = tokens.firstIndex(where: { $0.id == id }) { change(&tokens[index]) }
    }

    mutating func add(_ token: Token) throws(LogError) {
        try checkWorkspace(token.workspace)
        guard token.digest.count == 32, !tokens.contains(where: { $0.id == token.id || $0.digest == token.digest }) else {
            throw LogError(.conflict, "There is such a token already, or its digest is none.")
        }
        tokens.append(token)
    }
}
