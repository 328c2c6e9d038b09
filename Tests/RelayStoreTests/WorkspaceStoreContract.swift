import HeliographCrypto
import RelayCore
import RelayModel
import RelayProtocol
import StoreSQLite
import StoreTestSupport
import Testing

/// Contract of every implementation of `WorkspaceStore`.
@Suite(.scratch) struct WorkspaceStoreContract {
    private func token(_ name: String, _ byte: UInt8, in workspace: WorkspaceID) -> Token {
        Token(
            id: name, digest: Array(repeating: byte, count: 32), role: .client, subject: "client1", name: "Phone",
            workspace: workspace, createdAt: 1_000)
    }

    private func code(_ byte: UInt8, in workspace: WorkspaceID) -> PairingCode {
        PairingCode(digest: Array(repeating: byte, count: 32), role: .host, workspace: workspace, expiresAt: 9_000)
    }

    private func key(_ workspace: WorkspaceID, _ session: String) -> SessionKey {
        SessionKey(workspace: workspace, session: id(session))
    }

    private func record(_ kind: PushRecord.Kind, in workspace: WorkspaceID) -> PushRecord {
        PushRecord(workspace: workspace, kind: kind, name: "r1", bytes: Array("{}".utf8))
    }

    /// Fills both workspaces with the same names: two sessions of `events` events, an approval, a command, a record of each kind, a
    /// picture.
    private func fill(_ ports: Implementation.Ports, _ workspace: WorkspaceID, events: Int) throws {
        for name in ["s1", "s2"] {
            var writer = Writer(key(workspace, name))
            let approval = writer.approval("a1", seq: 1)
            try ports.log.commit(writer.batch(events, approvals: [approval]))
        }
        try ports.log.commit(
            LogBatch(
                commands: [CommandRecord(workspace: workspace, client: id("c1"), command: id("x1"), at: 1_000)],
                records: PushRecord.Kind.allCases.map { record($0, in: workspace) }))
        let content: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1]
        let named = Picture(digest: PictureDigest(Crypto.hex(Crypto.sha256(content)))!, type: .png, bytes: content.count)
        #expect(try ports.pictures.keep(KeptPicture(named, content), of: key(workspace, "s1"), at: 2_000))
    }

    @Test(arguments: Implementation.allCases)
    func `a workspace is added and renamed under a name of its own`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        try store.addWorkspace(Named(id: id("w1"), name: "Kitchen"), at: 1_000)
        for (taken, name) in [("w1", "Another"), ("w2", "Kitchen"), ("w2", "Home")] {
            let error = #expect(throws: LogError.self) { try store.addWorkspace(Named(id: id(taken), name: name), at: 1_000) }
            #expect(error?.code == .conflict)
        }
        #expect(try store.renameWorkspace(id("w1"), to: "Cellar", at: 2_000))
        #expect(try store.renameWorkspace(id("w1"), to: "Cellar", at: 2_000), "to what it is called")
        #expect(try !store.renameWorkspace(id("w9"), to: "Attic", at: 2_000))
        #expect(throws: LogError.self) { try store.renameWorkspace(id("w1"), to: "Home", at: 3_000) }
        #expect(try store.workspaces().map(\.name) == ["Home", "Other", "Cellar"])
    }

    @Test(arguments: Implementation.allCases)
    func `nobody gets into a workspace that was removed, nor is let in`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        for (index, workspace) in [WorkspaceID.home, .other].enumerated() {
            try store.addToken(token("t\(index)", UInt8(index), in: workspace))
            try store.addPairingCode(code(UInt8(index), in: workspace))
        }
        #expect(try store.removeWorkspace(.other, at: 5_000)?.map(\.id) == ["t1"])
        #expect(try store.workspaces().map(\.id) == [.home])
        #expect(try store.removedWorkspaces() == [.other])
        #expect(try store.tokens().map(\.id) == ["t0"])
        #expect(try store.allTokens().first { $0.id == "t1" }?.revokedAt == 5_000)
        func redeem(_ byte: UInt8) throws -> Token? {
            try store.redeemPairingCode(digest: Array(repeating: byte, count: 32), now: 6_000) {
                token("p\(byte)", byte + 40, in: $0.workspace)
            }
        }
        #expect(try redeem(1) == nil)
        #expect(try redeem(0)?.workspace == .home)
        #expect(throws: LogError.self) { try store.addToken(token("t8", 8, in: .other)) }
        #expect(throws: LogError.self) { try store.addPairingCode(code(9, in: .other)) }
        #expect(try store.removeWorkspace(.other, at: 7_000) == nil)
        #expect(try !store.renameWorkspace(.other, to: "Again", at: 7_000))
        // Its name is free, but its id is not.
        try store.addWorkspace(Named(id: id("w3"), name: "Other"), at: 8_000)
        #expect(throws: LogError.self) { try store.addWorkspace(Named(id: .other, name: "Third"), at: 8_000) }
    }

    @Test(arguments: Implementation.allCases)
    func `the first workspace stays, and one that is there keeps its data`(_ implementation: Implementation) throws {
        let ports = try implementation.ports()
        try fill(ports, .other, events: 3)
        let refused = #expect(throws: LogError.self) { try ports.credentials.removeWorkspace(.home, at: 5_000) }
        #expect(refused?.code == .conflict)
        for workspace in [WorkspaceID.other, id("w9")] {
            let error = #expect(throws: LogError.self) { try ports.credentials.removeData(of: workspace, rowsMax: 10) }
            #expect(error?.code == .conflict)
        }
        #expect(try ports.log.all(key(.other, "s1")).count == 3)
    }

    @Test(arguments: Implementation.allCases)
    func `the data of a removed workspace is gone at once for a load, goes in steps, and nobody else's goes`(
        _ implementation: Implementation
    ) throws {
        let ports = try implementation.ports()
        let (log, store) = (ports.log, ports.credentials)
        for workspace in [WorkspaceID.home, .other] { try fill(ports, workspace, events: 12) }
        _ = try store.removeWorkspace(.other, at: 5_000)

        func state() throws -> LogState { try log.load(resolvedSince: 0) }
        func checkHome() throws {
            let state = try state()
            #expect(state.sessions.map(\.key) == [key(.home, "s1"), key(.home, "s2")])
            #expect(state.approvals.map(\.workspace) == [.home, .home])
            #expect(state.commands.map(\.workspace) == [.home])
            #expect(state.records.filter { $0.workspace == .home }.count == PushRecord.Kind.allCases.count)
            #expect(state.removed.isEmpty)
            // Kept so that its service can be informed that the channel is no longer needed.
            #expect(state.records.filter { $0.workspace == .other }.map(\.kind) == [.channel])
            #expect(try log.all(key(.home, "s1")) == expected(key(.home, "s1"), 1...12))
        }
        try checkHome()
        #expect(try store.workspacesToClear() == [.other])
        var steps = 1
        while try !store.removeData(of: .other, rowsMax: 5) {
            steps += 1
            try checkHome()
            try #require(steps < 50)
        }
        #expect(try store.workspacesToClear().isEmpty)
        #expect(steps > 4, "24 events go in more than four steps of five rows")
        try checkHome()
        for name in ["s1", "s2"] {
            #expect(try log.all(key(.other, name)).isEmpty)
            #expect(try log.places(of: [key(.other, name)]).isEmpty)
            #expect(try log.approval(id("a1"), of: key(.other, name)) == nil)
        }
        #expect(try store.removeData(of: .other, rowsMax: 5), "as often as one likes")
        // Events after the removal continue the log, and begin no session anew.
        var writer = Writer(key(.home, "s1"), seq: 12)
        try log.commit(writer.batch(1))
        var fresh = Writer(key(.home, "s3"))
        try log.commit(fresh.batch(2))
        #expect(try log.all(key(.home, "s3")) == expected(key(.home, "s3"), 1...2))
        #expect(try log.all(key(.home, "s1")).count == 13)
    }

    @Test(arguments: Implementation.allCases)
    func `of a workspace that is erased nothing is left but that it was there`(_ implementation: Implementation) throws {
        let ports = try implementation.ports()
        let store = ports.credentials
        for (number, workspace) in [WorkspaceID.home, .other].enumerated() {
            try fill(ports, workspace, events: 12)
            try store.addToken(token("t\(number)", UInt8(number), in: workspace))
            try store.noteUses(["t\(number)": TokenUse(at: 2_000, from: "192.0.2.1")])
        }
        for workspace in [WorkspaceID.home, id("w9")] {
            let refused = #expect(throws: LogError.self) { try store.eraseWorkspace(workspace) }
            #expect(refused?.code == .conflict, "only what was removed")
        }
        _ = try store.removeWorkspace(.other, at: 5_000)
        #expect(try store.erasedWorkspaces().isEmpty)
        try store.eraseWorkspace(.other)
        #expect(try store.erasedWorkspaces() == [.other])
        #expect(try store.workspacesToClear() == [.other])
        var steps = 1
        while try !store.removeData(of: .other, rowsMax: 5) {
            steps += 1
            try #require(steps < 50)
        }
        #expect(try store.workspacesToClear().isEmpty && store.removedWorkspaces() == [.other])
        #expect(try store.removeData(of: .other, rowsMax: 5), "as often as one likes")
        let tokens = try store.allTokens()
        let ended = try #require(tokens.first { $0.id == "t1" })
        #expect(ended.name.isEmpty && ended.revokedAt == 5_000 && ended.lastUse?.from == nil)
        #expect(tokens.first { $0.id == "t0" }?.name == "Phone")
        #expect(try ports.log.all(key(.home, "s1")) == expected(key(.home, "s1"), 1...12))
        // Its name is free, but its id is not.
        try store.addWorkspace(Named(id: id("w3"), name: "Other"), at: 8_000)
        #expect(throws: LogError.self) { try store.addWorkspace(Named(id: .other, name: "Third"), at: 8_000) }
    }

    @Test(arguments: Implementation.allCases)
    func `what a workspace takes is counted, and what retention removed is not`(_ implementation: Implementation) throws {
        let ports = try implementation.ports()
        let store = ports.credentials
        #expect(try store.usage().isEmpty)
        try fill(ports, .other, events: 12)
        for (name, bytes) in [("s7", 1_000), ("s8", 234)] as [(String, Int64)] {
            var writer = Writer(key(.home, name))
            var append = writer.append(3)
            append.state.eventBytes = bytes
            try ports.log.commit(LogBatch(appends: [append]))
        }
        #expect(
            try store.usage() == [
                .home: WorkspaceUsage(sessions: 2, eventBytes: 1_234), .other: WorkspaceUsage(sessions: 2, pictureBytes: 9),
            ])
        try ports.log.commit(LogBatch(trims: [SessionTrim(key: key(.home, "s7"), through: 3, state: nil)]))
        #expect(try store.usage()[.home] == WorkspaceUsage(sessions: 1, eventBytes: 234))
    }

    @Test(arguments: Implementation.allCases)
    func `a stranger's workspace has a newcomer's limits, and is counted until it is removed`(_ implementation: Implementation)
        throws
    {
        let store = try implementation.make().credentials
        var rules = RegistrationRules()
        rules.perAddressMax = 2
        func register(_ name: String, from address: String, at: Int64) throws -> RegistrationRules.Refusal? {
            let registration = Registration(workspace: id(name), from: address, at: at)
            return try store.register(Named(id: id(name), name: "stranger \(name)"), registration, by: rules)
        }
        #expect(try store.registrations().isEmpty, "the operator's own are none")
        #expect(try register("w1", from: "192.0.2.1", at: 1_000) == nil)
        #expect(try register("w2", from: "192.0.2.1", at: 2_000) == nil)
        #expect(try register("w3", from: "192.0.2.1", at: 3_000) == .perAddress)
        #expect(try register("w4", from: "2001:db8::", at: 4_000) == nil)
        #expect(try store.workspaces().map(\.id.rawValue) == ["home", "other", "w1", "w2", "w4"])
        #expect(try store.limits()[id("w1")] == rules.newcomer.limits)
        #expect(
            try store.registrations() == [
                Registration(workspace: id("w1"), from: "192.0.2.1", at: 1_000),
                Registration(workspace: id("w2"), from: "192.0.2.1", at: 2_000),
                Registration(workspace: id("w4"), from: "2001:db8::", at: 4_000),
            ])
        _ = try store.removeWorkspace(id("w1"), at: 5_000)
        #expect(try store.registrations().count == 2)
        #expect(try register("w5", from: "192.0.2.1", at: 6_000) == nil, "there is room again")
        let error = #expect(throws: LogError.self) { try register("w5", from: "192.0.2.9", at: 7_000) }
        #expect(error?.code == .conflict)
    }

    @Test(arguments: Implementation.allCases)
    func `limits of a workspace are its own, are changed one by one, and go with it`(_ implementation: Implementation) throws {
        let store = try implementation.make().credentials
        #expect(try store.limits().isEmpty)
        #expect(try store.changeLimits(of: .other) { $0.sessions = 5 } == WorkspaceLimits(sessions: 5))
        let all = WorkspaceLimits(sessions: 5, megabytes: 64, pushesPerDay: 7, connections: 8, keepDays: 9)
        #expect(
            try store.changeLimits(of: .other) {
                $0.megabytes = 64
                $0.pushesPerDay = 7
                $0.connections = 8
                $0.keepDays = 9
            } == all)
        #expect(try store.limits() == [.other: all])
        #expect(try store.changeLimits(of: .home) { $0.keepDays = 1 } == WorkspaceLimits(keepDays: 1))
        #expect(try store.limits() == [.other: all, .home: WorkspaceLimits(keepDays: 1)])
        #expect(try store.changeLimits(of: .home) { $0.keepDays = nil } == WorkspaceLimits())
        #expect(try store.changeLimits(of: id("w9")) { $0.keepDays = 1 } == nil)
        #expect(try store.limits() == [.other: all])
        _ = try store.removeWorkspace(.other, at: 5_000)
        #expect(try store.limits().isEmpty)
        #expect(try store.changeLimits(of: .other) { $0.keepDays = 1 } == nil)
    }
}
