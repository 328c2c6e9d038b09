import Testing

@testable import HeliographServer

@Suite struct MemoryBudgetTests {
    @Test func `gives back, cuts off, lets nobody in: in this order, until there is room`() {
        var budget = MemoryBudget(bytes: 1_000)
        #expect(budget.measured(1_000) == nil)
        #expect(budget.measured(1_100) == .giveBack && !budget.refusesNew)
        #expect(budget.measured(1_100) == .cutOff(bytes: 200) && !budget.refusesNew)
        #expect(budget.measured(1_050) == .giveBack && !budget.refusesNew)
        #expect(budget.measured(1_050) == .cutOff(bytes: 150) && budget.refusesNew)
        // At the limit no peer is dropped, and no new one admitted.
        #expect(budget.measured(950) == nil && budget.refusesNew)
        #expect(budget.measured(900) == nil && !budget.refusesNew)
        #expect(budget.measured(1_100) == .giveBack && !budget.refusesNew)
    }

    @Test func `the process and the machine say how much there is`() throws {
        let memory = ProcessMemory()
        let found = memory.used
        let used = try #require(found)
        #expect(used > 1 << 20 && used < ProcessMemory.budget(megabytes: 0))
        ProcessMemory.giveBack()
    }
}
