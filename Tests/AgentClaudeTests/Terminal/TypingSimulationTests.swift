import RelayProtocol
import Testing

@testable import AgentClaude

@Suite("Typing into Claude Code's own screen, by chance")
struct TypingSimulationTests {
    @Test("a text at most once, never into a dialog, no draft lost, an outcome always: 300 seeds")
    func seeds() {
        var taken = 0
        for seed in UInt64(1)...300 {
            var world = SimulatedTerminal(seed: seed)
            world.run()
            #expect(world.violations.isEmpty, "seed \(seed)")
            taken += world.outcomes.values.count { $0 == .taken }
        }
        #expect(taken > 600, "most of it is not only refused")
    }

    @Test("what is broken on purpose is found", arguments: SimulatedTerminal.Plant.allCases)
    func planted(_ plant: SimulatedTerminal.Plant) {
        let found = (UInt64(1)...300).contains { seed in
            var world = SimulatedTerminal(seed: seed, plant: plant)
            world.run()
            return !world.violations.isEmpty
        }
        #expect(found)
    }
}
