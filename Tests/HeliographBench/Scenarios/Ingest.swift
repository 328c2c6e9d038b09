/// Hosts that send as fast as their events are stored.
final class Ingest: Stage {
    func run() throws(BenchError) -> BenchResult {
        try gatherHosts()
        let start = SteadyClock.now
        try send(until: start + plan.warmUp.nanoseconds)
        let before = acknowledged
        let stopwatch = try Stopwatch(gauge, driver)
        try send(until: start + plan.warmUp.nanoseconds + plan.duration.nanoseconds)
        var result = BenchResult(plan: plan, use: try stopwatch.stop())
        result.done = Int(acknowledged - before)
        try wait("everything is on disk") { sessions.allSatisfy { $0.through == $0.next - 1 } }
        return result
    }

    private var acknowledged: Int64 { sessions.reduce(0) { $0 + $1.through } }

    private func send(until end: Int64) throws(BenchError) {
        let window = max(Int64(plan.batch), Int64(plan.window / plan.sessions))
        while SteadyClock.now < end {
            for index in sessions.indices {
                while sessions[index].next - 1 - sessions[index].through + Int64(plan.batch) <= window {
                    queueEvents(Int64(plan.batch), of: index)
                }
            }
            for host in hosts { try driver.flush(host) }
            try driver.turn(end - SteadyClock.now, self)
        }
    }
}
