import RelayCore
import RelayModel
import RelayProtocol
import StoreTestSupport
import Testing

/// Contract of every implementation of `SessionLog` for trims, and for the commands that it remembers.
@Suite(.scratch) struct RetentionContract {
    private func trim(_ writer: Writer, through: Int64) -> LogBatch {
        LogBatch(trims: [SessionTrim(key: writer.key, through: through, state: writer.state(seq: writer.seq))])
    }

    private func removal(_ writer: Writer) -> LogBatch {
        LogBatch(trims: [SessionTrim(key: writer.key, through: writer.seq, state: nil, usage: Self.usage)])
    }

    private static let usage = Array(#"{"costMicroUSD":5}"#.utf8)

    private func load(_ log: any SessionLog) throws -> LogState { try log.load(resolvedSince: 0) }

    @Test(arguments: LogImplementation.allCases)
    func `a trimmed session has its later events under their numbers`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var (writer, beside) = (Writer(.first), Writer(.second))
        try log.commit(LogBatch(appends: [writer.append(10), beside.append(10)]))
        try log.commit(trim(writer, through: 4))
        #expect(try log.all(.first) == expected(.first, 5...10))
        #expect(try log.all(.second) == expected(.second, 1...10))
        func first(after: Int64) throws -> LogPage { try log.events(of: .first, after: after, limit: 2, bytesMax: .max) }
        func last(before: Int64) throws -> LogPage { try log.events(of: .first, before: before, limit: 2, bytesMax: .max) }
        for after in 0...4 as ClosedRange<Int64> { #expect(try first(after: after).first == 5) }
        #expect(try first(after: 6) == LogPage(first: 7, events: expected(.first, 7...8)))
        #expect(try last(before: 7) == LogPage(first: 5, events: expected(.first, 5...6)))
        #expect(try last(before: 6) == LogPage(first: 5, events: expected(.first, 5...5)))
        for before in 0...5 as ClosedRange<Int64> { #expect(try last(before: before).events.isEmpty) }

        try log.commit(writer.batch(1))
        #expect(try log.all(.first) == expected(.first, 5...11))
        #expect(try log.seq(.first) == 11)
    }

    @Test(arguments: LogImplementation.allCases)
    func `a trim leaves the state that it brings, and the approvals`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(.first)
        try log.commit(writer.batch(3, approvals: [writer.approval("a1", seq: 2)]))
        var batch = trim(writer, through: 3)
        batch.trims[0].state?.summary.title = "Trimmed"
        try log.commit(batch)
        #expect(try log.all(.first).isEmpty)
        #expect(try load(log).sessions.map(\.state) == [batch.trims[0].state])
        #expect(try load(log).approvals.map(\.approval.id) == [id("a1")])
        try log.commit(writer.batch(1))
        #expect(try log.events(of: .first, after: 0, limit: 9, bytesMax: .max).first == 4)
    }

    @Test(arguments: LogImplementation.allCases)
    func `what a host's sessions have asked is read from the newest on, page by page`(_ implementation: LogImplementation)
        throws
    {
        let log = try implementation.make()
        var (writer, other) = (Writer(.first), Writer(.second))
        other.host = "host2"
        var batch = writer.batch(1, approvals: [writer.approval("a1", seq: 1), writer.approval("a2", seq: 1)])
        batch.appends[0].state.summary.folder = "/home/me/site"
        try log.commit(batch)
        try log.commit(other.batch(1, approvals: [other.approval("b1", seq: 1)]))
        var last = writer.batch(1, approvals: [writer.approval("a3", seq: 2, stage: .expired, resolvedAt: 950)])
        last.appends[0].state.summary.folder = "/home/me/site"
        try log.commit(last)
        func page(before: Int64 = .max, limit: Int = 9, bytesMax: Int = 1 << 20, host: String = "host1") throws -> ApprovalPage
        {
            try log.approvals(of: id(host), in: .home, before: before, limit: limit, bytesMax: bytesMax)
        }
        let all = try page()
        #expect(all.entries.map(\.approval.id.rawValue) == ["a3", "a2", "a1"] && all.next == nil)
        #expect(all.entries.allSatisfy { $0.folder == "/home/me/site" } && all.entries[0].approval.stage.word == .expired)
        let newest = try page(limit: 2)
        #expect(newest.entries.map(\.approval.id.rawValue) == ["a3", "a2"])
        let rest = try page(before: #require(newest.next), limit: 2)
        #expect(rest.entries.map(\.approval.id.rawValue) == ["a1"] && rest.next == nil)
        let bytes = all.entries.map(\.approval.bytes.count).max() ?? 0
        #expect(try page(bytesMax: bytes + 1).entries.count == 1, "as many as the bytes take")
        #expect(try page(bytesMax: 10).entries.isEmpty, "one that is larger than a page is left out")
        #expect(try page(host: "host2").entries.map(\.approval.id.rawValue) == ["b1"])
        #expect(try page(host: "host3").entries.isEmpty)
    }

    @Test(arguments: LogImplementation.allCases)
    func `a session's place is told by its name, whether it was removed or not`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var (writer, gone) = (Writer(.first), Writer(.second))
        try log.commit(LogBatch(appends: [writer.append(3), gone.append(2)]))
        try log.commit(removal(gone))
        let unknown = SessionKey(workspace: .other, session: id("s1"))
        #expect(
            try log.places(of: [.first, .second, unknown]) == [
                .first: RemovedSession(host: id("host1"), seq: 3, hostSeq: 30),
                .second: RemovedSession(host: id("host1"), seq: 2, hostSeq: 20, usage: Self.usage),
            ])
        #expect(try log.places(of: []) == [:])
    }

    @Test(arguments: LogImplementation.allCases)
    func `trimming again, or less, takes nothing more`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(.first)
        try log.commit(writer.batch(5))
        for through in [3, 3, 1, 0] as [Int64] {
            try log.commit(trim(writer, through: through))
            #expect(try log.all(.first) == expected(.first, 4...5))
        }
    }

    @Test(arguments: LogImplementation.allCases)
    func `a removed session leaves its place and its usage, and nothing else`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var (writer, beside) = (Writer(.first), Writer(.second))
        try log.commit(
            LogBatch(appends: [
                writer.append(3, approvals: [writer.approval("a1", seq: 1)]),
                beside.append(1, approvals: [beside.approval("a1", seq: 1)]),
            ]))
        for _ in 0..<2 {
            try log.commit(removal(writer))
            let loaded = try load(log)
            #expect(loaded.sessions.map(\.key) == [.second])
            #expect(loaded.removed.map(\.key) == [.first])
            #expect(loaded.removed.map(\.place) == [RemovedSession(host: id("host1"), seq: 3, hostSeq: 30, usage: Self.usage)])
            #expect(loaded.approvals.map(\.approval.session) == [SessionKey.second.session])
            #expect(try log.all(.first).isEmpty)
            #expect(try log.events(of: .first, before: .max, limit: 9, bytesMax: .max).events.isEmpty)
            #expect(try log.approval(id("a1"), of: .first) == nil)
        }
    }

    @Test(arguments: LogImplementation.allCases)
    func `a removed session goes on where it was`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(.first)
        try log.commit(writer.batch(3, approvals: [writer.approval("a1", seq: 1)]))
        try log.commit(removal(writer))
        var stranger = Writer(.first)
        stranger.host = "host2"
        stranger.seq = 3
        var again = Writer(.first)
        for wrong in [again.batch(1), stranger.batch(1)] {
            let error = #expect(throws: LogError.self) { try log.commit(wrong) }
            #expect(error?.code == .conflict)
        }
        try log.commit(writer.batch(2, approvals: [writer.approval("a1", seq: 5)]))
        let loaded = try load(log)
        #expect(loaded.removed.isEmpty)
        #expect(loaded.sessions.map(\.state) == [writer.state(seq: 5)])
        #expect(loaded.approvals.map(\.approval.seq) == [5])
        #expect(
            try log.events(of: .first, after: 0, limit: 9, bytesMax: .max) == LogPage(first: 4, events: expected(.first, 4...5))
        )
    }

    @Test(arguments: LogImplementation.allCases)
    func `a trim that is not about what is stored is refused, and its batch with it`(_ implementation: LogImplementation) throws
    {
        let log = try implementation.make()
        var (writer, beside, gone) = (Writer(.first), Writer(.second), Writer(SessionKey(workspace: .home, session: id("s3"))))
        try log.commit(LogBatch(appends: [writer.append(3), beside.append(1), gone.append(1)]))
        try log.commit(removal(gone))
        var foreign = writer
        foreign.host = "host2"
        let bad = [
            trim(writer, through: 4), trim(writer, through: -1),
            removal(Writer(SessionKey(workspace: .other, session: id("s1")))),
            trim(Writer(.first), through: 0), trim(foreign, through: 1), trim(gone, through: 1),
            LogBatch(trims: [SessionTrim(key: .first, through: 1, state: Writer(.second).state(seq: 3))]),
            LogBatch(trims: removal(writer).trims + trim(writer, through: 1).trims),
            LogBatch(appends: [Writer(.first, seq: 3).appending(1)], trims: trim(writer, through: 1).trims),
        ]
        for (index, batch) in bad.enumerated() {
            var batch = batch
            batch.appends.append(Writer(.second, seq: 1).appending(1))
            batch.commands = [command("c1", at: 1)]
            let error = #expect(throws: LogError.self, "batch \(index)") { try log.commit(batch) }
            #expect(error?.code == .conflict)
        }
        #expect(try log.all(.first) == expected(.first, 1...3))
        #expect(try log.all(.second) == expected(.second, 1...1))
        #expect(try load(log).commands.isEmpty)
    }

    // MARK: - Approvals

    @Test(arguments: LogImplementation.allCases)
    func `an approval is found however long ago it was resolved`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(.first)
        try log.commit(writer.batch(2, approvals: [writer.approval("a1", seq: 1), writer.approval("a2", seq: 2)]))
        let resolved = writer.approval("a1", seq: 3, stage: .expired, resolvedAt: 1_500)
        try log.commit(writer.batch(1, approvals: [resolved]))
        #expect(try log.load(resolvedSince: 9_000).approvals.map(\.approval.id) == [id("a2")])
        #expect(try log.approval(id("a1"), of: .first)?.bytes == resolved.bytes)
        #expect(try log.approval(id("a2"), of: .first)?.stage == .pending)
        #expect(try log.approval(id("a3"), of: .first) == nil)
        #expect(try log.approval(id("a1"), of: .second) == nil)
        #expect(try log.approval(id("a1"), of: SessionKey(workspace: .other, session: id("s1"))) == nil)
    }

    // MARK: - Commands

    private func command(_ name: String, at: Int64, workspace: WorkspaceID = .home, client: String = "c") -> CommandRecord {
        CommandRecord(workspace: workspace, client: id(client), command: id(name), at: at)
    }

    private func commands(_ log: any SessionLog) throws -> Set<CommandRecord> {
        let commands = try log.load(resolvedSince: 0).commands
        #expect(Set(commands).count == commands.count)
        return Set(commands)
    }

    @Test(arguments: LogImplementation.allCases)
    func `a command is recorded once, for its client in its workspace`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        let recorded = [
            command("c1", at: 1_000), command("c1", at: 1_000, client: "d"), command("c1", at: 2_000, workspace: .other),
            command("c2", at: 3_000),
        ]
        for _ in 0..<2 { try log.commit(LogBatch(commands: recorded)) }
        // The first time stands: its 24 hours do not begin anew.
        try log.commit(LogBatch(commands: [command("c1", at: 9_000)]))
        #expect(try commands(log) == Set(recorded))
        let error = #expect(throws: LogError.self) {
            try log.commit(LogBatch(commands: [command("c9", at: 1), command("c1", at: 1, workspace: id("nowhere"))]))
        }
        #expect(error?.code == .conflict)
        #expect(try commands(log) == Set(recorded))
    }

    @Test(arguments: LogImplementation.allCases)
    func `commands are forgotten by their time`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        try log.commit(LogBatch(commands: [command("c1", at: 1_000), command("c2", at: 2_000)]))
        try log.commit(
            LogBatch(commands: [command("c3", at: 1_500), command("c4", at: 3_000)], commandsForgottenBefore: 2_000))
        #expect(try commands(log) == [command("c2", at: 2_000), command("c4", at: 3_000)])
        // The command is forgotten, and may come again.
        try log.commit(LogBatch(commands: [command("c1", at: 4_000)]))
        #expect(try commands(log).count == 3)
    }
}
