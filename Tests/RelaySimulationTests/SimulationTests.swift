import RelaySimulation
import Testing

@Suite("Simulation")
struct SimulationTests {
    @Test("the same seed gives the same trace, to the byte")
    func sameSeed() {
        for seed in UInt64(1)...5 {
            let first = Simulator(seed: seed).run(isTraced: true)
            let second = Simulator(seed: seed).run()
            #expect(first.trace.hash == second.trace.hash)
            #expect(first.steps == second.steps)
            #expect(first.trace.count > 100, "a run in which nothing happens proves nothing")
        }
    }
}
