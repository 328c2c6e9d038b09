import AgentTestSupport
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

    @Test("a question lives as long as its hook waits, a day less what makes the answer ours, and can be answered until then")
    func shippedLife() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s", hasShippedLife: true)
        let asked = bench.now.wall
        let request = try #require(bench.requests.last)
        #expect(request.head.expiresAt.map { $0 - asked } == 86_390_000)
        for _ in 0..<24 { bench.leap(.seconds(3_599)) }
        bench.leap(.seconds(86_389 - 24 * 3_599))
        #expect(bench.take() == [])
        var answered = bench
        try answered.decide(.allow)
        #expect(answered.take() == ["approval.delivered", "hook 1: " + ClaudeBench.allow])
        bench.leap(.seconds(1))
        #expect(bench.take() == ["hook 1: no decision"])
    }

    @Test("nor is it given up by a restart of the daemon, however late in the day")
    func shippedLifeOverRestart() throws {
        var (bench, _) = try ClaudeBench.ask("remote-allow-12s", hasShippedLife: true)
        let call = try #require(ClaudeBench.recording("remote-allow-12s").first { $0.contains("PermissionRequest") })
        bench.leap(.seconds(80_000))
        var next = ClaudeBench(hasShippedLife: true)
        next.now = bench.now
        next.tell(.daemonStarted(notes: bench.notes))
        try next.call(call, attempt: 2)
        #expect(next.take() == ["status.changed waitingApproval: may already be answered at the terminal"])
        next.leap(.seconds(6_389))
        #expect(next.take() == [])
        next.leap(.seconds(1))
        #expect(next.take() == ["approval.cancelled expired", "hook 1: no decision"])
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
