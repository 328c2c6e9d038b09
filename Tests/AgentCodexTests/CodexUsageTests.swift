import Foundation
import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

/// Figures as Codex 0.163.0 reports them; ids of turns and threads ascend with time, like its own.
@Suite("Codex: tokens over reverts and forks")
struct CodexUsageTests {
    private static let thread = "01a21dc6-0ac3-7451-822e-948370ccb4a5"

    /// An update as it is reported: the run's number, and the tokens of that run.
    private struct Told: Equatable, CustomStringConvertible {
        let run: String
        let input: Int64
        let output: Int64
        var description: String { "run \(run): \(input)+\(output)" }

        init?(_ usage: Usage?) {
            guard let usage, let tokens = usage.tokens else { return nil }
            run = String(usage.run?.split(separator: "-").last ?? "")
            (input, output) = (tokens.input, tokens.output)
        }

        init(_ run: String, _ input: Int64, _ output: Int64) { (self.run, self.input, self.output) = (run, input, output) }
    }

    private func take(
        _ usage: inout CodexUsage, _ total: (Int64, Int64), last: (Int64, Int64), turn: String?
    ) throws -> Told? {
        func counts(_ pair: (Int64, Int64)) -> String { #"{"inputTokens":\#(pair.0),"outputTokens":\#(pair.1)}"# }
        let value = try JSONDocument(parsing: #"{"total":\#(counts(total)),"last":\#(counts(last))}"#)
        return Told(usage.take(value.root, turn: turn.map { "01a21dc6-\($0)" }, thread: Self.thread, model: nil))
    }

    /// The usage after a restart of the daemon.
    private func restarted(_ usage: CodexUsage) throws -> CodexUsage {
        let note = JSONWriter.object { usage.write(to: &$0) }
        return CodexUsage(from: try JSONDocument(parsing: note).root)
    }

    @Test("what is taken back was used all the same, and is counted once", arguments: [false, true])
    func reverted(isTold: Bool) throws {
        var usage = CodexUsage()
        #expect(try take(&usage, (900, 100), last: (900, 100), turn: "1") == Told("1", 900, 100))
        #expect(try take(&usage, (1_350, 150), last: (450, 50), turn: "2") == Told("1", 1_350, 150))
        if isTold { usage.reverted() }
        usage = try restarted(usage)
        #expect(try take(&usage, (1_150, 150), last: (250, 50), turn: "3") == Told("2", 250, 50))
        #expect(try take(&usage, (1_240, 160), last: (90, 10), turn: "4") == Told("2", 340, 60))
    }

    @Test("a turn after a revert that used more than was taken back is counted as a whole, if the revert was told")
    func revertedAndMore() throws {
        var usage = CodexUsage()
        _ = try take(&usage, (900, 100), last: (900, 100), turn: "1")
        _ = try take(&usage, (1_350, 150), last: (450, 50), turn: "2")
        usage.reverted()
        #expect(try take(&usage, (1_500, 200), last: (600, 100), turn: "3") == Told("2", 600, 100))
    }

    @Test("what is told again after a revert, before anything was used, is not counted again")
    func revertedAndResumed() throws {
        var usage = CodexUsage()
        _ = try take(&usage, (900, 100), last: (900, 100), turn: "1")
        _ = try take(&usage, (1_350, 150), last: (450, 50), turn: "2")
        usage.reverted()
        #expect(try take(&usage, (900, 100), last: (900, 100), turn: "1") == nil)
        #expect(try take(&usage, (1_150, 150), last: (250, 50), turn: "3") == Told("2", 250, 50))
    }

    @Test("what its original had used is not a fork's, whether that is told first or the fork's own turn")
    func forked() throws {
        var usage = CodexUsage()
        usage.isFork = true
        #expect(try take(&usage, (1_350, 150), last: (450, 50), turn: "0001") == nil)
        usage = try restarted(usage)
        #expect(try take(&usage, (1_410, 160), last: (60, 10), turn: "0b00") == Told("1", 60, 10))
        #expect(try take(&usage, (1_430, 170), last: (20, 10), turn: "0c00") == Told("1", 80, 20))
        var late = CodexUsage()
        late.isFork = true
        #expect(try take(&late, (1_410, 160), last: (60, 10), turn: "0b00") == Told("1", 60, 10))
    }

    @Test("a thread is a fork if Codex says so when it is opened", arguments: [true, false])
    func forked(isFork: Bool) {
        var bench = CodexBench()
        bench.loaded = [CodexBench.thread]
        let original = isFork ? #""01a1fb69-0000-7000-8000-000000000001""# : "null"
        bench.resumable[CodexBench.thread] = CodexBench.resumed(CodexBench.thread).replacingOccurrences(
            of: #""ephemeral":false"#, with: #""ephemeral":false,"forkedFromId":\#(original)"#)
        bench.tell(.own(.connected))
        _ = bench.take()
        for (total, last, turn) in [(900, 900, "01a1fb69-1"), (1_000, 100, "01a1fb6b-1")] {
            bench.notify(
                "thread/tokenUsage/updated",
                #""turnId":"\#(turn)","tokenUsage":{"total":{"inputTokens":\#(total),"outputTokens":0},"#
                    + #""last":{"inputTokens":\#(last),"outputTokens":0,"totalTokens":\#(last)},"modelContextWindow":9}"#)
        }
        let told =
            isFork
            ? ["usage in 100 out 0 read 0 of 100/9"]
            : ["usage in 900 out 0 read 0 of 900/9", "usage in 1000 out 0 read 0 of 100/9"]
        #expect(bench.take() == told)
    }

    @Test("a note of an earlier version goes on where that stood")
    func earlierNote() throws {
        var usage = CodexUsage(from: try JSONDocument(parsing: #"{"run":2,"tokens":1500}"#).root)
        #expect(try take(&usage, (1_350, 150), last: (450, 50), turn: "2") == nil)
        #expect(try take(&usage, (1_400, 160), last: (50, 10), turn: "3") == Told("2", 1_400, 160))
        var fresh = CodexUsage(from: try JSONDocument(parsing: #"{"run":1,"tokens":0}"#).root)
        #expect(try take(&fresh, (900, 100), last: (900, 100), turn: "1") == Told("1", 900, 100))
    }
}
