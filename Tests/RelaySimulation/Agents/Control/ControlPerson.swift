import AgentClaude

/// The person at the terminal of `heliograph run`: reads the output, sends prompts, answers by numbers, interrupts, and leaves.
final class ControlPerson {
    private unowned let world: World
    private var isThere: Bool
    private(set) var typed: Set<String> = []
    var does: (ControlFact) -> Void = { _ in }
    /// Called when a typed number chose an answer to the current question.
    var chose: (_ request: String, _ isAllowed: Bool) -> Void = { _, _ in }

    init(world: World, isThere: Bool) {
        self.world = world
        self.isThere = isThere
    }

    func start() { goOn() }
    func leave() { isThere = false }

    private func goOn() {
        guard isThere else { return }
        let pace = world.shape.pace
        world.after(world.dice.within(pace / 2...4 * pace)) { [self] _ in
            guard isThere else { return }
            if !world.isCalm { act() }
            goOn()
        }
    }

    private func act() {
        if world.dice.chance(world.shape.endings) { return does(.inputClosed) }
        switch world.dice.below(10) {
        case 0: does(.interrupted)
        case 1...4: type(world.name("local "))
        default: break
        }
    }

    private func type(_ text: String) {
        typed.insert(text)
        does(.typed(text))
    }

    /// Reads a line such as `  7  Allow once`, an option of that request of the agent.
    func reads(_ text: String, about request: String?) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard isThere, let request, let number = words.first.flatMap({ Int($0) }), words.count > 1 else { return }
        let isAllowed = words[1].drop { $0 == " " }.hasPrefix("Allow")
        guard world.dice.chance(isAllowed ? 0.4 : 0.15) else { return }
        world.after(world.dice.within(300...20_000)) { [self] _ in
            guard isThere else { return }
            chose(request, isAllowed)
            type(isAllowed || world.dice.chance(0.5) ? "\(number)" : "\(number) not now")
        }
    }
}
