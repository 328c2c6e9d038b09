import Testing

@testable import HeliographBench

@Suite struct BenchPlanTests {
    @Test(arguments: BenchPlan.Scenario.allCases)
    func everyScenarioHasAPlanThatHolds(scenario: BenchPlan.Scenario) throws { try BenchPlan(scenario).check() }

    @Test func whatCannotBeIsRefusedByName() {
        var plan = BenchPlan(.fanout)
        plan.size = 10
        #expect(throws: BenchError(.plan, "size: 120 to 65536 bytes")) { try plan.check() }
        plan.size = 300
        plan.hosts = 2
        #expect(throws: BenchError(.plan, "sessions: one for each host at least, 10000 at most")) { try plan.check() }
    }

    @Test func moreClientsThanOpenFilesAreRefusedBeforeTheRun() throws {
        var plan = BenchPlan(.idle)
        plan.clients = 100_000
        try plan.check()
        try plan.check(descriptors: 100_065)
        #expect(throws: BenchError.self) { try plan.check(descriptors: 100_064) }
    }

    @Test func connectionsToLoopbackComeFromAsManyAddressesAsTheyNeedPorts() {
        #expect(LoopbackSource.address(ofConnection: 9_999) == nil)
        #expect(LoopbackSource.address(ofConnection: 10_000)?.bigEndian == 0x7F00_0002)
        #expect(LoopbackSource.address(ofConnection: 99_999)?.bigEndian == 0x7F00_000A)
    }

    @Test func figuresAreShort() {
        #expect(
            [0.01234, 0.5, 12.345, 999.4, 1_234_567].map(BenchResult.short) == ["0.012", "0.5", "12.3", "999", "1,234,567"])
        #expect([0, -1_000, 100_000].map(BenchResult.grouped) == ["0", "-1,000", "100,000"])
    }
}
