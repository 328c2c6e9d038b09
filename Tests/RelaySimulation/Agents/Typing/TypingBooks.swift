import AgentClaude
import HostCore
import RelayProtocol

/// Commands given to the terminal of one run, what happened to them there, and the ends reported for them.
final class TypingBooks {
    private unowned let world: World
    private var texts: [SteeringName: SteeringRequest] = [:]
    private var ends: [SteeringName: SteeringStage] = [:]
    /// Interrupts for which Esc takes effect.
    private var interrupts: [SteeringRequest] = []
    private var stops: [SteeringRequest] = []
    private var modes: [SteeringName: SteeringRequest] = [:]

    init(world: World) { self.world = world }

    func given(_ request: SteeringRequest) {
        switch request.action {
        case .prompt: texts[request.name] = request
        case .interrupt: interrupts.append(request)
        case .stop: stops.append(request)
        case .mode: modes[request.name] = request
        case .model, .askAll, .launch, .ruleOff, .ruleAdd, .ruleChange, .ruleTry: break
        }
    }

    /// Facts that a faulty program would get.
    func told(_ change: SteeringChange, mode: String) -> [TypingFact] {
        guard change.stage.isFinal else { return [] }
        if let request = modes[change.name], change.stage == .taken, request.action == .mode(mode) { world.checkTaken(request) }
        if change.stage != .taken { interrupts.removeAll { $0.name == change.name } }
        guard let request = texts[change.name] else { return [] }
        ends[change.name] = change.stage
        return world.plant == .retypedPrompt && change.stage == .unknown ? [.steered(request)] : []
    }

    func escaped() {
        for request in interrupts { world.checkTaken(request) }
        interrupts = []
    }

    func agentEnded() {
        for request in stops { world.checkTaken(request) }
        stops = []
    }

    /// The person may send a text that is reported as left in the line.
    func taken(_ text: String, isOurs: Bool, in session: SessionID) {
        if isOurs { return world.checkTaken(text, in: session) }
        let sent = texts.first { $0.value.action.text.map { text.contains($0) } == true }
        guard let (name, request) = sent else { return }
        switch ends[name] {
        case .taken: world.report(.steering, "\(name.command) is taken, and the person sends it as well")
        case nil where request.action.text == text: world.checkTaken(text, in: session)
        default: break
        }
    }
}
