import Foundation
import Glibc
import RelayCore
import RelayModel
import RelayProtocol
import RelayStore
import StoreTestSupport
import Testing

@testable import StoreSQLite

/// State after the process dies, or the disk fails, at a bad moment. Each dies in a process of its own.
@Suite(.scratch, .serialized) struct SQLiteStoreCrashTests {
    private let scratch = Scratch.current

    /// One process after the other continues with the same file, until it is killed at a random moment.
    @Test func `after kill -9 every acknowledged batch is there, whole and in order`() async throws {
        try scratch.fill(0)
        let epoch = try scratch.open().log.epoch
        var acknowledged = 0
        for round in 0..<20 where round < 12 || acknowledged == 0 {
            // From during the opening to well into the commits, in uneven steps, so that no rhythm of the store is always hit. On a
            // machine that is too slow for that, longer and longer.
            let microseconds = UInt32(2_000 + round * 13_337) << UInt32(max(0, round - 11))
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [scratch = scratch as Scratch, microseconds = microseconds as UInt32] in
                Thread {
                    usleep(microseconds)
                    kill(getpid(), SIGKILL)
                }.start()
                try scratch.writeUntilKilled()
            }
            acknowledged = max(acknowledged, try scratch.lastAcknowledgement())
            let store = try scratch.open()
            #expect(store.log.epoch == epoch, "round \(round)")
            let events = try store.log.all(.crash)
            #expect(events.count >= acknowledged, "round \(round)")
            #expect(events.count % 3 == 0, "a batch is there whole or not at all")
            #expect(events.isEmpty || events == expected(.crash, 1...Int64(events.count)))
            #expect(try store.log.seq(.crash) ?? 0 == Int64(events.count))
            if round % 2 == 0 { try store.close() }
        }
        #expect(acknowledged > 0, "no process lived long enough to commit anything")
    }

    /// Each process lives until its log is being copied into the file, beside the commits and by them.
    @Test func `after kill -9 while the log is copied every acknowledged batch is there`() async throws {
        try scratch.fill(0)
        for round in 0..<4 {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [scratch = scratch as Scratch, microseconds = UInt32(round * 3_337) as UInt32] in
                try scratch.writeUntilKilled(batch: 99, bytes: 12_000) { bytesCommitted in
                    guard bytesCommitted > CheckpointPlan.pagesMax * 4_096 else { return }
                    usleep(microseconds)
                    kill(getpid(), SIGKILL)
                }
            }
            let acknowledged = try scratch.lastAcknowledgement()
            let store = try scratch.open()
            let events = try store.log.all(.crash)
            #expect(acknowledged > 0 && events.count == acknowledged, "round \(round)")
            #expect(events == (1...Int64(events.count)).map { Writer.bytes(.crash, seq: $0, bytes: 12_000) })
            if round % 2 == 0 { try store.close() }
        }
    }

    /// A commit whose sync failed may or may not be on disk; the store must find out, and say so.
    @Test(
        .enabled(if: Tool.canTrace, "only root, with strace, can make a sync fail"),
        arguments: ["1", "2", "3", "1+"])
    func `a commit that fails to sync is found or refused, and what was acknowledged stays`(when: String) async throws {
        try scratch.fill(0)
        await #expect(processExitsWith: .success) { [scratch = scratch as Scratch, when = when as String] in
            let store = try scratch.open()
            var writer = Writer(.crash)
            for _ in 0..<10 { try store.log.commit(writer.batch(3)) }

            let strace = try Strace(injecting: "fdatasync:error=EIO:when=\(when)")
            var failures = 0
            for _ in 0..<5 {
                let (seq, batch) = (writer.seq, writer.batch(3))
                do throws(LogError) {
                    try store.log.commit(batch)
                    require(try? store.log.all(.crash).count, Int(seq) + 3, "what was acknowledged is there")
                } catch {
                    require(error.code, .inDoubt, "the error of the disk is named")
                    failures += 1
                    writer.seq = seq
                    // Reading still works, and the batch is there whole or not at all.
                    let count = try store.log.all(.crash).count
                    require(count == Int(seq) || count == Int(seq) + 3, true, "\(count) events after a failure at \(seq)")
                }
            }
            if when == "1+" { require(failures, 5, "as long as the disk does not sync, nothing is acknowledged") }
            strace.end()

            // The disk is well again. What was refused may be there all the same: find out as the relay does at a start.
            try store.close()
            let again = try scratch.open()
            let count = Int64(try again.log.all(.crash).count)
            require(count == writer.seq || count == writer.seq + 3, true, "\(count) events; acknowledged were \(writer.seq)")
            writer.seq = count
            for _ in 0..<5 { try again.log.commit(writer.batch(3)) }
            require(try again.log.all(.crash), expected(.crash, 1...writer.seq), "the log goes on without a gap")
        }
    }

    @Test(.enabled(if: Tool.canTrace, "only root, with strace, can make a sync fail"))
    func `a disk that syncs again is written to again, without a restart`() async throws {
        try scratch.fill(0)
        await #expect(processExitsWith: .success) { [scratch = scratch as Scratch] in
            let store = try scratch.open()
            var writer = Writer(.crash)
            try store.log.commit(writer.batch(3))
            let strace = try Strace(injecting: "fdatasync:error=EIO")
            var lost = writer
            require((try? store.log.commit(lost.batch(3))) == nil, true, "a commit without a sync fails")
            strace.end()
            // The same batch again: whether or not the store had it, it is there once.
            try store.log.commit(writer.batch(3))
            try store.log.commit(writer.batch(3))
            require(try store.log.all(.crash), expected(.crash, 1...9), "the log goes on without a gap")
        }
    }

    @Test(.enabled(if: Tool.canTrace, "only root, with strace, can make a sync fail"))
    func `trims, commands and records that fail to sync take effect once`() async throws {
        try scratch.fill(0)
        await #expect(processExitsWith: .success) { [scratch = scratch as Scratch] in
            let store = try scratch.open()
            var writer = Writer(.crash)
            try store.log.commit(writer.batch(6))
            let asked = writer.batch(1, approvals: [writer.approval("a1", seq: 7)])
            let trim = LogBatch(trims: [SessionTrim(key: .crash, through: 3, state: writer.state(seq: 7))])
            let record = CommandRecord(workspace: id("default"), client: id("c"), command: id("c1"), at: 5)
            let forgotten = CommandRecord(workspace: id("default"), client: id("c"), command: id("c0"), at: 4)
            let removal = LogBatch(trims: [SessionTrim(key: .crash, through: 7, state: nil)])
            let pushes = ["1", "2"].map { PushRecord(workspace: id("default"), kind: .push, name: $0, bytes: Array("{}".utf8)) }
            var gone = pushes[0]
            gone.bytes = nil
            let batches = [
                asked, trim, LogBatch(commands: [forgotten]), LogBatch(commands: [record], commandsForgottenBefore: 5), removal,
                LogBatch(records: pushes), LogBatch(records: [gone]),
            ]
            for batch in batches {
                let strace = try Strace(injecting: "fdatasync:error=EIO")
                for _ in 0..<2 { require((try? store.log.commit(batch)) == nil, true, "a commit without a sync fails") }
                strace.end()
                for _ in 0..<2 where batch.appends.isEmpty { try store.log.commit(batch) }
                if !batch.appends.isEmpty { try store.log.commit(batch) }
                if batch.trims.first?.state != nil {
                    require(try store.log.all(.crash), expected(.crash, 4...7), "what was trimmed is gone, and no more")
                }
            }
            let loaded = try store.log.load(resolvedSince: 0)
            require(loaded.commands, [record], "commands are recorded and forgotten")
            require(loaded.records, [pushes[1]], "records of pushes are kept and removed")
            require(loaded.removed.map(\.place.seq), [7], "the session is removed")
            let report = try store.audit.verify(against: nil, heads: [])
            require(report.recordCount, 1, "one question, one record")
            require(report.faults, [], "the chain is whole")
        }
    }
}

extension SessionKey {
    static let crash = SessionKey(workspace: id("default"), session: id("crash"))
}

extension Scratch {
    private var acknowledgements: String { path + "/acknowledged" }

    /// Commits batches, and records each number that the store has acknowledged. `then` gets the number of bytes.
    func writeUntilKilled(batch count: Int = 3, bytes: Int = 0, then: (Int) -> Void = { _ in }) throws {
        let descriptor = unsafe Glibc.open(acknowledgements, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let store = try open()
        var writer = Writer(.crash)
        writer.seq = try store.log.seq(.crash) ?? 0
        var committed = 0
        while true {
            try store.log.commit(writer.batch(count, bytes: bytes))
            // It is in the page cache when this returns, where the kill does not affect it.
            let line = Array("\(writer.seq)\n".utf8)
            require(unsafe write(descriptor, line, line.count), line.count, "an acknowledgement is written")
            committed += count * bytes
            then(committed)
        }
    }

    func lastAcknowledgement() throws -> Int {
        let text = (try? String(contentsOfFile: acknowledgements, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").last.flatMap { Int($0) } ?? 0
    }
}

/// For a process whose only result is its exit status.
func require<Value: Equatable>(_ value: @autoclosure () throws -> Value, _ expected: Value, _ sentence: String) {
    do {
        let value = try value()
        guard value != expected else { return }
        fatalError("\(sentence): \(value) instead of \(expected)")
    } catch {
        fatalError("\(sentence): \(error)")
    }
}

/// Makes system calls of this very process fail, until `end`.
final class Strace {
    private let process = Process()

    init(injecting fault: String) throws {
        let messages = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "strace", "-f", "-o", "/dev/null", "-e", "trace=fdatasync,fsync", "-e", "inject=\(fault)", "-p", "\(getpid())",
        ]
        process.standardError = messages
        try process.run()
        // strace prints "Process … attached" once it is.
        while !String(decoding: messages.fileHandleForReading.availableData, as: UTF8.self).contains("attached") {
            guard process.isRunning else { fatalError("strace cannot attach to this process") }
        }
    }

    func end() {
        // A gentler signal would not reach it: it was started with all of them blocked, as threads here are.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
