import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Claude Code: approvals over clocks that jump")
struct ClaudeApprovalClockTests {
    @Test("a wall clock that jumps by ten years ends no question early or late", arguments: [-10, 10] as [Int64])
    func wallClockJumps(years: Int64) throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        bench.now.wall += years * 31_556_952_000
        bench.pass(.seconds(3_589))
        #expect(bench.take() == [])
        bench.pass(.seconds(1))
        #expect(bench.take() == ["hook 1: no decision"])
    }

    @Test("questions are in the order in which they came, whatever the clock said", arguments: [-10, 10] as [Int64])
    func orderOverJump(years: Int64) throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s")
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        for run in ["r2", "r3"] {
            bench.now.wall += years * 31_556_952_000
            try bench.call(call, run: run)
        }
        #expect(bench.adapter.approvals.map(\.run) == ["r1", "r2", "r3"])
        var next = ClaudeBench()
        next.now = bench.now
        next.tell(.daemonStarted(notes: bench.notes))
        try next.call(call, run: "r4")
        #expect(next.adapter.approvals.map(\.run) == ["r1", "r2", "r3", "r4"])
    }
}
