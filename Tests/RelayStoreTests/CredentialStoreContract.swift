import RelayCore
import RelayProtocol
import StorePostgres
import StoreSQLite
import StoreTestSupport
import Synchronization
import Testing

/// Contract of every implementation of `CredentialStore`.
@Suite(.scratch) struct CredentialStoreContract {
    private func digest(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: 32) }

    private func token(_ name: String, _ byte: UInt8, workspace: WorkspaceID = .home, createdAt: Int64 = 1_000) -> Token {
        Token(
            id: name, digest: digest(byte), role: .client, subject: "client1", name: "Ada\u{2019}s phone",
            workspace: workspace, createdAt: createdAt)
    }

    private func code(_ byte: UInt8, role: PairingRole = .host, expiresAt: Int64 = 2_000) -> PairingCode {
        PairingCode(digest: digest(byte), role: role, workspace: .home, expiresAt: expiresAt)
    }

    @Test(arguments: Implementation.allCases)
    func `workspaces are listed as they were added, each once`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        let third = Named<WorkspaceTag>(id: id("a-third"), name: "Third")
        try store.addWorkspace(third)
        #expect(try store.workspaces().map(\.id) == [.home, .other, third.id])
        #expect(try store.workspaces().last == third)
        let error = #expect(throws: LogError.self) { try store.addWorkspace(Named(id: .home, name: "Again")) }
        #expect(error?.code == .conflict)
        #expect(try store.workspaces().first?.name == "Home")
    }

    @Test(arguments: Implementation.allCases)
    func `the first workspace is made once, and the oldest handed back`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        #expect(try store.bootstrap(workspaceName: "First").id == .home)
        #expect(try store.workspaces().map(\.id) == [.home, .other])
    }

    @Test(arguments: Implementation.allCases)
    func `a token is kept whole`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        var browser = token("t3", 3)
        (browser.kind, browser.pageKeyDigest, browser.parent) = (.browser, digest(9), "t1")
        browser.lastUse = TokenUse(at: 2_000, from: "192.0.2.7")
        let tokens = [token("t1", 1), token("t2", 2, workspace: .other), browser]
        for token in tokens { try store.addToken(token) }
        #expect(try store.tokens() == tokens)
    }

    @Test(arguments: Implementation.allCases)
    func `a revoked token is gone from the valid ones and listed with its time`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try store.addToken(token("t1", 1))
        try store.addToken(token("t2", 2))
        #expect(try store.revoke(TokenRevocation(id: "t1", at: 5_000)).map(\.id) == ["t1"])
        #expect(try store.tokens().map(\.id) == ["t2"])
        #expect(try store.revoke(TokenRevocation(id: "t1", at: 6_000)).isEmpty)
        #expect(try store.revoke(TokenRevocation(id: "t9", at: 6_000)).isEmpty)
        #expect(try store.allTokens().first { $0.id == "t1" }?.revokedAt == 5_000)
        #expect(try store.allTokens().first { $0.id == "t2" }?.revokedAt == nil)
    }

    @Test(arguments: Implementation.allCases)
    func `tokens are read by workspace and by name`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        let tokens = [token("t1", 1), token("t2", 2, workspace: .other, createdAt: 900), token("t3", 3, createdAt: 2_000)]
        for token in tokens { try store.addToken(token) }
        _ = try store.revoke(TokenRevocation(id: "t1", at: 5_000))
        #expect(try store.tokens(of: .home).map(\.id) == ["t3", "t1"], "newest first, the revoked included")
        #expect(try store.tokens(of: .other) == [tokens[1]])
        #expect(try store.tokens(of: id("nowhere")).isEmpty)
        #expect(try store.token("t1")?.revokedAt == 5_000)
        #expect(try store.token("t2") == tokens[1])
        #expect(try store.token("t9") == nil)
    }

    @Test(arguments: Implementation.allCases)
    func `a token gets another name where it is valid and of the workspace`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try store.addToken(token("t1", 1))
        try store.addToken(token("t2", 2))
        let workspace = token("t1", 1).workspace
        func rename(_ id: String, in workspace: WorkspaceID) throws -> String? {
            try store.rename(TokenRenaming(id: id, in: workspace, name: "Kitchen", by: "t2", at: 5_000))?.name
        }
        #expect(try rename("t1", in: workspace) == "Kitchen")
        #expect(try store.tokens().map(\.name) == ["Kitchen", token("t2", 2).name])
        #expect(try rename("t1", in: workspace) == "Kitchen", "as it is called already")
        #expect(try rename("t2", in: .other) == nil, "another workspace's")
        #expect(try rename("t9", in: workspace) == nil)
        _ = try store.revoke(TokenRevocation(id: "t2", at: 6_000))
        #expect(try rename("t2", in: workspace) == nil, "a revoked one")
    }

    /// t1 paired t2 and t3, and t2 paired t4; t5 has no parent.
    private func addFamily(to store: any CredentialStore) throws {
        for (index, parent) in [nil, "t1", "t1", "t2", nil].enumerated() {
            var token = token("t\(index + 1)", UInt8(index + 1))
            token.parent = parent
            try store.addToken(token)
        }
    }

    @Test(arguments: Implementation.allCases)
    func `a token is revoked with all that it let in, unless told otherwise`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try addFamily(to: store)
        #expect(try store.tokens().map(\.parent) == [nil, "t1", "t1", "t2", nil])
        #expect(try store.revoke(TokenRevocation(id: "t2", keepsChildren: true, at: 5_000)).map(\.id) == ["t2"])
        #expect(try store.tokens().map(\.id) == ["t1", "t3", "t4", "t5"])
        #expect(try store.revoke(TokenRevocation(id: "t1", in: .other, at: 6_000)).isEmpty, "another workspace's")
        // Even through a token that is revoked already.
        #expect(try store.revoke(TokenRevocation(id: "t1", at: 6_000)).map(\.id) == ["t1", "t3", "t4"])
        #expect(try store.tokens().map(\.id) == ["t5"])
        #expect(try store.allTokens().first { $0.id == "t2" }?.revokedAt == 5_000)
    }

    @Test(arguments: Implementation.allCases)
    func `what a revoked token had let in can still be revoked by its name`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try addFamily(to: store)
        _ = try store.revoke(TokenRevocation(id: "t1", keepsChildren: true, at: 5_000))
        #expect(try store.revoke(TokenRevocation(id: "t1", at: 6_000)).map(\.id) == ["t2", "t3", "t4"])
    }

    @Test(arguments: Implementation.allCases)
    func `a code that a token made ends with it, also where its children stay`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try addFamily(to: store)
        for (byte, parent) in [(11, "t1"), (12, "t5"), (13, "t9")] as [(UInt8, String)] {
            var code = code(byte)
            code.parent = parent
            try store.addPairingCode(code)
        }
        _ = try store.revoke(TokenRevocation(id: "t1", keepsChildren: true, at: 1_500))
        #expect(try store.redeemPairingCode(digest: digest(11), now: 1_600) { _ in token("t11", 11) } == nil)
        #expect(try store.redeemPairingCode(digest: digest(13), now: 1_600) { _ in token("t13", 13) } == nil)
        let made = try store.redeemPairingCode(digest: digest(12), now: 1_600) { code in
            #expect(code.parent == "t5")
            return token("t12", 12)
        }
        #expect(made?.id == "t12")
    }

    @Test(arguments: Implementation.allCases)
    func `the last use of a token is kept, and never goes back`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try store.addToken(token("t1", 1))
        let (early, late) = (TokenUse(at: 6_000, from: "192.0.2.6"), TokenUse(at: 7_000, from: "2001:db8::7"))
        try store.noteUses(["t1": late, "t9": late])
        try store.noteUses(["t1": early])
        #expect(try store.tokens().map(\.lastUse) == [late])
        let nowhere = TokenUse(at: 7_000, from: nil)
        try store.noteUses(["t1": nowhere])
        #expect(try store.tokens().map(\.lastUse) == [nowhere])
    }

    @Test(arguments: Implementation.allCases)
    func `all tokens are listed newest first`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        for (index, createdAt) in [3_000, 1_000, 2_000, 3_000].enumerated() {
            try store.addToken(token("t\(index)", UInt8(index), createdAt: Int64(createdAt)))
        }
        #expect(try store.allTokens().map(\.id) == ["t3", "t0", "t2", "t1"])
    }

    @Test(arguments: Implementation.allCases)
    func `two tokens have neither a name nor a secret in common`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try store.addToken(token("t1", 1))
        for clash in [token("t1", 2), token("t2", 1), token("t3", 3, workspace: id("nowhere"))] {
            let error = #expect(throws: LogError.self) { try store.addToken(clash) }
            #expect(error?.code == .conflict)
        }
        #expect(try store.allTokens().count == 1)
    }

    @Test(arguments: Implementation.allCases)
    func `a pairing code becomes one token, once`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try store.addPairingCode(code(7))
        let made = token("t1", 1)
        let redeemed = try store.redeemPairingCode(digest: digest(7), now: 1_999) {
            #expect($0 == code(7))
            return made
        }
        #expect(redeemed == made)
        #expect(try store.tokens() == [made])
        #expect(try store.redeemPairingCode(digest: digest(7), now: 1_999) { _ in token("t2", 2) } == nil)
        #expect(try store.tokens() == [made])
    }

    @Test(arguments: Implementation.allCases)
    func `a pairing code that is unknown or expired becomes nothing`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try store.addPairingCode(code(7))
        for (byte, now) in [(8, 0), (7, 2_000), (7, 2_001)] as [(UInt8, Int64)] {
            let made = try store.redeemPairingCode(digest: digest(byte), now: now) { _ in
                Issue.record("there is no token to make")
                return token("t1", 1)
            }
            #expect(made == nil)
        }
        #expect(try store.tokens().isEmpty)
    }

    @Test(arguments: Implementation.allCases)
    func `open pairing codes are those that can be redeemed`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try store.addToken(token("t1", 1))
        try store.addToken(token("t2", 2))
        for (byte, parent, expiresAt) in [
            (11, nil, 2_000), (12, "t1", 2_000), (13, "t2", 2_000), (14, nil, 1_999), (15, nil, 2_000),
        ]
            as [(UInt8, String?, Int64)]
        {
            var code = code(byte, expiresAt: expiresAt)
            code.parent = parent
            try store.addPairingCode(code)
        }
        _ = try store.revoke(TokenRevocation(id: "t2", at: 1_500))
        _ = try store.redeemPairingCode(digest: digest(15), now: 1_600) { _ in token("t15", 15) }
        #expect(try store.openPairingCodes(at: 1_999).map(\.digest).sorted { $0[0] < $1[0] } == [digest(11), digest(12)])
        #expect(try store.openPairingCodes(at: 1_999).compactMap(\.parent) == ["t1"])
        #expect(try store.openPairingCodes(at: 2_000).isEmpty)
    }

    @Test(arguments: Implementation.allCases)
    func `a chain of pairings has an end`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        var (last, made) = ("t0", 0)
        try store.addToken(token("t0", 0))
        while made <= TokenLineage.depthMax {
            var code = code(UInt8(made))
            code.parent = last
            try store.addPairingCode(code)
            let redeemed = try store.redeemPairingCode(digest: code.digest, now: 0) { code in
                var next = token("t\(made + 1)", UInt8(made + 1))
                next.parent = code.parent
                return next
            }
            guard let redeemed else { break }
            (last, made) = (redeemed.id, made + 1)
        }
        #expect(made == TokenLineage.depthMax)
        var other = code(200)
        other.parent = "t0"
        try store.addPairingCode(other)
        #expect(
            try store.redeemPairingCode(digest: digest(200), now: 0) { _ in token("t200", 200) } != nil, "the first one may")
    }

    @Test(arguments: Implementation.allCases)
    func `a pairing code whose token cannot be kept stays as it was`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try store.addToken(token("t1", 1))
        try store.addPairingCode(code(7))
        #expect(throws: LogError.self) {
            try store.redeemPairingCode(digest: digest(7), now: 0) { _ in token("t1", 2) }
        }
        #expect(try store.redeemPairingCode(digest: digest(7), now: 0) { _ in token("t2", 2) } != nil)
    }

    @Test(arguments: Implementation.allCases)
    func `of many who redeem one code at once, one gets a token`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        // Also as a second process sees it.
        let stores: [any CredentialStore] =
            switch implementation {
            case .memory: [store]
            case .sqlite: [store, try Scratch.current.openAsCommandLine().credentials]
            case .postgres: [store, try Scratch.current.openPostgresAsCommandLine().credentials]
            }
        for round in 0..<20 as Range<UInt8> {
            try store.addPairingCode(code(round))
            let digest = digest(round)
            let winners = Mutex<[String]>([])
            onThreads(4) { racer in
                attempt {
                    let token = token("t\(round)-\(racer)", 100 + round * 4 + UInt8(racer))
                    let won = try stores[racer % stores.count].redeemPairingCode(digest: digest, now: 0) { _ in token }
                    winners.withLock { $0 += won.map { [$0.id] } ?? [] }
                }
            }
            let winner = winners.withLock { $0 }
            #expect(winner.count == 1)
            #expect(try store.tokens().last?.id == winner.first)
        }
        #expect(try store.tokens().count == 20)
    }

    @Test(arguments: Implementation.allCases)
    func `a code is added once, for a workspace that is there`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try store.addPairingCode(code(7))
        var elsewhere = code(8)
        elsewhere.workspace = id("nowhere")
        for clash in [code(7, role: .client), elsewhere] {
            let error = #expect(throws: LogError.self) { try store.addPairingCode(clash) }
            #expect(error?.code == .conflict)
        }
    }

    @Test(arguments: Implementation.allCases)
    func `codes that have expired are forgotten, others are not`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try store.addPairingCode(code(1, expiresAt: 1_999))
        try store.addPairingCode(code(2, expiresAt: 2_000))
        try store.removePairingCodes(expiredBefore: 2_000)
        #expect(try store.redeemPairingCode(digest: digest(1), now: 0) { _ in token("t1", 1) } == nil)
        #expect(try store.redeemPairingCode(digest: digest(2), now: 0) { _ in token("t2", 2) } != nil)
        // The code is forgotten, and may be added again.
        try store.addPairingCode(code(1))
    }
}
