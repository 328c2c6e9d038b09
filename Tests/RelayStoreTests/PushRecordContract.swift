import RelayCore
import RelayModel
import RelayProtocol
import StoreTestSupport
import Testing

/// Contract of every implementation of `SessionLog` for records of the planner of pushes.
@Suite(.scratch) struct PushRecordContract {
    private func record(
        _ name: String, _ text: String?, kind: PushRecord.Kind = .push, workspace: WorkspaceID = .home
    ) -> PushRecord {
        PushRecord(workspace: workspace, kind: kind, name: name, bytes: text.map { Array("{\"is\":\"\($0)\"}".utf8) })
    }

    private func records(_ log: any SessionLog) throws -> [PushRecord] {
        try log.load(resolvedSince: 0).records
    }

    @Test(arguments: LogImplementation.allCases)
    func `records are loaded whole, in the order of their names`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        let ordered = [
            record("e", "1", kind: .budget), record("c/1", "2", kind: .card), record("d\u{2019}1", "3", kind: .device),
            record("10", "4"), record("9", "5"), record("a", "6", kind: .device, workspace: .other),
        ]
        try log.commit(LogBatch(records: ordered.shuffled()))
        #expect(try records(log) == ordered)
    }

    @Test(arguments: LogImplementation.allCases)
    func `a record takes the place of the one of its name, and of no other`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        let others = [record("1", "card", kind: .card), record("2", "beside"), record("1", "away", workspace: .other)]
        try log.commit(LogBatch(records: others + [record("1", "old")]))
        for text in ["new", "new"] {
            try log.commit(LogBatch(records: [record("1", text)]))
            #expect(try records(log) == [others[0], record("1", "new"), others[1], others[2]])
        }
    }

    @Test(arguments: LogImplementation.allCases)
    func `of one name the last in a batch holds`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        try log.commit(
            LogBatch(records: [
                record("1", "a"), record("1", "b"), record("2", "a"), record("2", nil), record("3", nil), record("3", "a"),
            ]))
        #expect(try records(log) == [record("1", "b"), record("3", "a")])
    }

    @Test(arguments: LogImplementation.allCases)
    func `a record is removed, also where there is none`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        try log.commit(LogBatch(records: [record("1", "a"), record("2", "a")]))
        for _ in 0..<2 {
            try log.commit(LogBatch(records: [record("1", nil)]))
            #expect(try records(log) == [record("2", "a")])
        }
    }

    @Test(arguments: LogImplementation.allCases)
    func `a record that tells addresses is a record as any other`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        let places = [PushAddress(.apns, place: "aa"), PushAddress(.web, place: "https://push.example/a key auth")]
        let plain = [record("c", "card", kind: .card), record("d", "device", kind: .device)]
        for addresses in [places, places.reversed(), [places[0]], []] {
            var telling = plain
            for index in telling.indices { telling[index].addresses = addresses }
            try log.commit(LogBatch(records: telling))
            #expect(try records(log) == plain)
        }
        try log.commit(LogBatch(records: [record("c", nil, kind: .card)]))
        #expect(try records(log) == [plain[1]])
    }

    @Test(arguments: LogImplementation.allCases)
    func `records come with the rest of their batch or not at all`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(.first)
        var batch = writer.batch(1)
        batch.records = [record("1", "kept")]
        try log.commit(batch)
        #expect(try log.seq(.first) == 1)

        let gap = SessionAppend(key: .first, firstSeq: 9, events: [], state: writer.state(seq: 8), approvals: [])
        let bad = [
            LogBatch(appends: [gap], records: [record("1", "lost"), record("2", "lost")]),
            LogBatch(appends: [writer.append(1)], records: [record("1", nil), record("2", "a", workspace: id("nowhere"))]),
            LogBatch(records: [record("1", nil), record(String(repeating: "n", count: 257), "a")]),
        ]
        for batch in bad {
            let error = #expect(throws: LogError.self) { try log.commit(batch) }
            #expect(error?.code == .conflict)
            #expect(try records(log) == [record("1", "kept")])
            #expect(try log.seq(.first) == 1)
        }
    }
}
