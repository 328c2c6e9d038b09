import Testing

@testable import HeliographServer

@Suite struct MemoryBudgetTests {
    @Test func `gives back, cuts off, lets nobody in: in this order, until there is room`() {
        var budget = MemoryBudget(bytes: 1_000)
        #expect(budget.measured(1_000) == nil)
        #expect(budget.measured(1_200) == .giveBack && budget.refused == .nobody)
        #expect(budget.measured(1_200) == .cutOff(bytes: 300) && budget.refused == .nobody)
        #expect(budget.measured(1_050) == .giveBack && budget.refused == .nobody)
        #expect(budget.measured(1_050) == .cutOff(bytes: 150) && budget.refused == .large)
        #expect(budget.measured(1_125) == .giveBack && budget.refused == .large)
        #expect(budget.measured(1_126) == .cutOff(bytes: 226) && budget.refused == .all)
        // At the limit no peer is dropped, and no new one admitted.
        #expect(budget.measured(1_050) == .giveBack && budget.refused == .all)
        #expect(budget.measured(950) == nil && budget.refused == .all)
        #expect(budget.measured(900) == nil && budget.refused == .nobody)
        #expect(budget.measured(1_100) == .giveBack && budget.refused == .nobody)
    }

    @Test func `the process and the machine say how much there is`() throws {
        let memory = ProcessMemory()
        let found = memory.used
        let used = try #require(found)
        #expect(used > 1 << 20 && used < ProcessMemory.budget(megabytes: 0))
        ProcessMemory.giveBack()
    }
}
