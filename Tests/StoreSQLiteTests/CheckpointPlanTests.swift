import Testing

@testable import StoreSQLite

@Suite struct CheckpointPlanTests {
    private typealias Plan = CheckpointPlan

    private static func copying() -> CheckpointPlan {
        var plan = CheckpointPlan()
        #expect(plan.committed(pages: Plan.pagesMax) == .copy)
        return plan
    }

    @Test func `a log is copied beside the commits when it has its length, and what is left by the next commit`() {
        var plan = Plan()
        #expect(plan.committed(pages: Plan.pagesMax - 1) == .none)
        #expect(plan.committed(pages: 1) == .copy)
        #expect(plan.committed(pages: 50) == .none, "while it is copied commits go on")
        plan.copied(isWhole: true)
        #expect(plan.committed(pages: 10) == .finish)
        plan.finished(isWhole: true)
        #expect(plan.committed(pages: Plan.pagesMax - 1) == .none, "the log begins anew")
        #expect(plan.committed(pages: 1) == .copy)
    }

    @Test func `where much came meanwhile it is copied beside the commits, too`() {
        var plan = Self.copying()
        #expect(plan.committed(pages: 2_000) == .none)
        plan.copied(isWhole: true)
        #expect(plan.committed(pages: 10) == .copy)
        #expect(plan.committed(pages: 100) == .none)
        plan.copied(isWhole: true)
        #expect(plan.committed(pages: Plan.finishPagesMax - 100) == .finish)
    }

    @Test func `a disk that is slower than what comes is not outrun`() {
        var plan = Self.copying()
        for round in 1...Plan.roundsMax {
            #expect(plan.committed(pages: Plan.pagesMax) == .none, "round \(round)")
            plan.copied(isWhole: true)
            #expect(plan.committed(pages: 1) == (round == Plan.roundsMax ? .finish : .copy), "round \(round)")
        }
    }

    @Test func `what failed, or was in somebody's way, is tried again when more is written`() {
        var plan = Self.copying()
        plan.copied(isWhole: false)
        #expect(plan.committed(pages: Plan.retryPages - 1) == .none)
        #expect(plan.committed(pages: 1) == .copy)
        plan.copied(isWhole: true)
        #expect(plan.committed(pages: 1) == .finish)
        plan.finished(isWhole: false)
        #expect(plan.committed(pages: Plan.retryPages - 1) == .none)
        #expect(plan.committed(pages: 1) == .copy)
    }
}
