import RelayCore
import RelayModel
import RelayProtocol
import StoreTestSupport
import Testing

/// Contract of every implementation of `SessionLog`.
@Suite(.scratch) struct SessionLogContract {
    @Test(arguments: LogImplementation.allCases)
    func `what was committed is read in order, byte for byte`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var first = Writer(.first)
        var second = Writer(.second)
        for count in [1, 3, 2] {
            try log.commit(LogBatch(appends: [first.append(count), second.append(1)]))
        }
        #expect(try log.all(.first) == expected(.first, 1...6))
        #expect(try log.all(.second) == expected(.second, 1...3))
        let strange: [UInt8] = Array(0...255)
        var append = first.append(2)
        append.events[0].bytes = strange
        append.events[1].bytes = []
        try log.commit(LogBatch(appends: [append]))
        #expect(try log.all(.first).suffix(2) == [strange, []])
    }

    @Test(arguments: LogImplementation.allCases)
    func `one batch may go on with the same session twice`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(.first)
        try log.commit(LogBatch(appends: [writer.append(2), writer.append(1)]))
        #expect(try log.all(.first) == expected(.first, 1...3))
    }

    @Test(arguments: LogImplementation.allCases)
    func `a state without events is kept`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(.first)
        try log.commit(writer.batch(2))
        var append = writer.append(0)
        append.state.summary.hostIsConnected = false
        try log.commit(LogBatch(appends: [append]))
        #expect(try log.load(resolvedSince: 0).sessions.map(\.state) == [append.state])
        try log.commit(writer.batch(1))
        #expect(try log.all(.first) == expected(.first, 1...3))
    }

    @Test(arguments: LogImplementation.allCases, [0, 2, 4, 5])
    func `a batch that does not go on where the log ends is refused whole`(
        _ implementation: LogImplementation, firstSeq: Int64
    ) throws {
        let log = try implementation.make()
        var first = Writer(.first)
        var second = Writer(.second)
        try log.commit(first.batch(2))
        first.seq = firstSeq - 1
        let (good, bad) = (second.append(1), first.append(1))
        for appends in [[good, bad], [bad, good]] {
            let error = #expect(throws: LogError.self) { try log.commit(LogBatch(appends: appends)) }
            #expect(error?.code == .conflict)
            #expect(try log.all(.second).isEmpty)
            #expect(try log.all(.first) == expected(.first, 1...2))
            #expect(try log.load(resolvedSince: 0).sessions.map(\.key) == [.first])
        }
    }

    @Test(arguments: LogImplementation.allCases)
    func `a first batch starts at 1`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(.first)
        writer.seq = 1
        #expect(throws: LogError.self) { try log.commit(writer.batch(1)) }
        #expect(try log.load(resolvedSince: 0).sessions.isEmpty)
    }

    @Test(arguments: LogImplementation.allCases)
    func `a session stays with its host`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(.first)
        try log.commit(writer.batch(1))
        writer.host = "host2"
        let error = #expect(throws: LogError.self) { try log.commit(writer.batch(1)) }
        #expect(error?.code == .conflict)
        #expect(try log.all(.first) == expected(.first, 1...1))
    }

    @Test(arguments: LogImplementation.allCases)
    func `a state that does not fit its events is refused`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(.first)
        var wrongSeq = writer.append(2)
        wrongSeq.state.summary.seq = 1
        var wrongSession = wrongSeq
        wrongSession.state = Writer(.second).state(seq: 2)
        var wrongApproval = wrongSeq
        wrongApproval.state = writer.state(seq: 2)
        wrongApproval.approvals = [Writer(.second).approval("a1", seq: 1)]
        for append in [wrongSeq, wrongSession, wrongApproval] {
            let error = #expect(throws: LogError.self) { try log.commit(LogBatch(appends: [append])) }
            #expect(error?.code == .conflict)
        }
        #expect(try log.load(resolvedSince: 0).sessions.isEmpty)
    }

    @Test(arguments: LogImplementation.allCases)
    func `a page forwards has at most so many events and so many bytes`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(.first)
        try log.commit(writer.batch(10, bytes: 100))

        func page(_ after: Int64, _ limit: Int, _ bytesMax: Int) throws -> (first: Int64, count: Int) {
            let page = try log.events(of: .first, after: after, limit: limit, bytesMax: bytesMax)
            let wanted = page.events.indices.map { Writer.bytes(.first, seq: page.first + Int64($0), bytes: 100) }
            #expect(page.events == wanted)
            return (page.first, page.events.count)
        }
        #expect(try page(0, 3, .max) == (1, 3))
        #expect(try page(3, 3, .max) == (4, 3))
        #expect(try page(9, 3, .max) == (10, 1))
        #expect(try page(-5, 2, .max) == (1, 2))
        #expect(try page(4, 10, 300) == (5, 3))
        #expect(try page(4, 10, 299) == (5, 2))
        // Otherwise a reader of pages could never get past a long event.
        #expect(try page(4, 10, 1) == (5, 1))
        for (after, limit) in [(10, 5), (11, 5), (.max, 5), (0, 0), (0, -1)] as [(Int64, Int)] {
            #expect(try page(after, limit, .max).count == 0)
        }
    }

    @Test(arguments: LogImplementation.allCases)
    func `a page backwards keeps those nearest to where it starts`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(.first)
        try log.commit(writer.batch(10, bytes: 100))

        func page(_ before: Int64, _ limit: Int, _ bytesMax: Int) throws -> (first: Int64, count: Int) {
            let page = try log.events(of: .first, before: before, limit: limit, bytesMax: bytesMax)
            let wanted = page.events.indices.map { Writer.bytes(.first, seq: page.first + Int64($0), bytes: 100) }
            #expect(page.events == wanted)
            return (page.first, page.events.count)
        }
        #expect(try page(11, 3, .max) == (8, 3))
        #expect(try page(.max, 3, .max) == (8, 3))
        #expect(try page(8, 3, .max) == (5, 3))
        #expect(try page(3, 5, .max) == (1, 2))
        #expect(try page(8, 10, 300) == (5, 3))
        #expect(try page(8, 10, 299) == (6, 2))
        #expect(try page(8, 10, 1) == (7, 1))
        for (before, limit) in [(1, 5), (0, 5), (.min, 5), (5, 0)] as [(Int64, Int)] {
            #expect(try page(before, limit, .max).count == 0)
        }
    }

    @Test(arguments: LogImplementation.allCases)
    func `a workspace is a wall`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        let theirs = SessionKey(workspace: .other, session: SessionKey.first.session)
        var mine = Writer(.first)
        try log.commit(mine.batch(3))
        #expect(try log.all(theirs).isEmpty)
        #expect(try log.events(of: theirs, before: .max, limit: 10, bytesMax: .max).events.isEmpty)

        // The same name in another workspace is another session, perhaps of another host.
        var other = Writer(theirs)
        other.host = "host2"
        try log.commit(other.batch(1))
        #expect(try log.all(theirs) == expected(theirs, 1...1))
        #expect(try log.all(.first) == expected(.first, 1...3))

        let approvals = [mine.approval("a1", seq: 4)]
        try log.commit(mine.batch(1, approvals: approvals))
        let loaded = try log.load(resolvedSince: 0).approvals
        #expect(loaded.map(\.workspace) == [.home])
    }

    @Test(arguments: LogImplementation.allCases)
    func `nothing is written for a workspace that is not there`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(SessionKey(workspace: id("nowhere"), session: id("s1")))
        let error = #expect(throws: LogError.self) { try log.commit(writer.batch(1)) }
        #expect(error?.code == .conflict)
        #expect(try log.load(resolvedSince: 0).sessions.isEmpty)
    }

    @Test(arguments: LogImplementation.allCases)
    func `a load has every session as it was left`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var first = Writer(.first)
        var second = Writer(.second)
        try log.commit(first.batch(2))
        try log.commit(LogBatch(appends: [second.append(1), first.append(3)]))
        let loaded = try log.load(resolvedSince: 0)
        #expect(loaded.sessions.map(\.key) == [.first, .second])
        #expect(loaded.sessions.map(\.state) == [first.state(seq: 5), second.state(seq: 1)])
    }

    @Test(arguments: LogImplementation.allCases)
    func `an approval that is over stays as it is, and who asks anew under its name is told`(
        _ implementation: LogImplementation
    ) throws {
        let log = try implementation.make()
        var (writer, other) = (Writer(.first), Writer(.second))
        let asked = [writer.approval("a1", seq: 1), writer.approval("a2", seq: 1)]
        #expect(try log.commit(writer.batch(1, approvals: asked)).isEmpty)
        let denied = writer.approval("a1", seq: 2, stage: .cancelled, resolvedAt: 2_000)
        #expect(try log.commit(writer.batch(1, approvals: [denied])).isEmpty)
        let again = [writer.approval("a1", seq: 3), writer.approval("a2", seq: 3, stage: .stale, resolvedAt: 3_000)]
        #expect(try log.commit(writer.batch(1, approvals: again)) == [ApprovalName(.first, denied.id)])
        #expect(try log.approval(denied.id, of: .first)?.bytes == denied.bytes)
        #expect(try log.commit(other.batch(1, approvals: [other.approval("a1", seq: 1)])).isEmpty, "another session's")
        #expect(try log.load(resolvedSince: .max).approvals.map(\.approval.session) == [other.key.session])
    }

    @Test(arguments: LogImplementation.allCases)
    func `a load has approvals that are open or were resolved lately`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        var writer = Writer(.first)
        try log.commit(
            writer.batch(
                6,
                approvals: [
                    writer.approval("pending", seq: 1), writer.approval("decided", seq: 2, stage: .decided),
                    writer.approval("long-ago", seq: 3, stage: .applied, resolvedAt: 4_999),
                    writer.approval("just-then", seq: 4, stage: .expired, resolvedAt: 5_000),
                    writer.approval("lately", seq: 5, stage: .cancelled, resolvedAt: 6_000),
                    writer.approval("changes", seq: 6),
                ]))
        try log.commit(
            writer.batch(1, approvals: [writer.approval("changes", seq: 7, stage: .stale, resolvedAt: 100)]))
        let loaded = try log.load(resolvedSince: 5_000).approvals.map(\.approval)
        #expect(loaded.map(\.id.rawValue) == ["pending", "decided", "just-then", "lately"])
        #expect(loaded.first?.bytes == writer.approval("pending", seq: 1).bytes)
        let all = try log.load(resolvedSince: 0).approvals.map(\.approval)
        #expect(all.last?.bytes == writer.approval("changes", seq: 7, stage: .stale, resolvedAt: 100).bytes)
        #expect(all.count == 6)
    }

    @Test(arguments: LogImplementation.allCases)
    func `the clock's record stays until another takes its place`(_ implementation: LogImplementation) throws {
        let log = try implementation.make()
        func clock() throws -> AgeClockRecord? { try log.load(resolvedSince: 0).clock }
        #expect(try clock() == nil)
        for time in [1_000, 2_000] as [Int64] {
            let record = AgeClockRecord(time: time, wall: time, uptime: 10, boot: "b1", steadyFor: nil)
            try log.commit(LogBatch(clock: record))
            try log.commit(LogBatch())
            #expect(try clock() == record)
        }
    }

    /// For logs that several threads may use; the simulation's is not `Sendable`.
    @Test(arguments: Implementation.allCases)
    func `a reader sees whole batches while another thread commits`(_ implementation: Implementation) throws {
        let log = try implementation.make().log
        let isOver = Flag()
        onThreads(3) { thread in
            if thread == 0 {
                var writer = Writer(.first)
                for _ in 0..<60 { attempt { try log.commit(writer.batch(3)) } }
                isOver.raise()
            }
            repeat {
                attempt {
                    let events = try log.all(.first)
                    let newest = try log.events(of: .first, before: .max, limit: 1, bytesMax: .max).first
                    #expect(events.count % 3 == 0 && newest % 3 == 0 && events.count <= newest)
                    #expect(events.isEmpty || events == expected(.first, 1...Int64(events.count)))
                }
            } while !isOver.isUp
        }
        #expect(try log.all(.first).count == 180)
    }
}
