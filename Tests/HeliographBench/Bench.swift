/// Runs a plan against a relay.
package enum Bench {
    /// `restart` kills the relay and starts it again on the same data; nil if this program did not start it.
    package static func run(
        _ plan: BenchPlan, on target: BenchTarget, restart: (() throws(BenchError) -> BenchTarget)? = nil
    ) throws(BenchError) -> BenchResult {
        try plan.check(descriptors: OwnUse.raiseDescriptorLimit())
        switch plan.scenario {
        case .fanout: return try FanOut(plan, target).run()
        case .approval: return try ApprovalTrips(plan, target).run()
        case .ingest: return try Ingest(plan, target).run()
        case .idle: return try Crowd(plan, target).idle()
        case .storm: return try Crowd(plan, target).storm()
        case .takeover: return try Takeover(plan, target).run()
        case .resume: return try Crowd(plan, target).resume(restart: restart)
        }
    }
}
