import HostCore
import RelayProtocol

/// A real adapter in the simulated daemon: checks its facts and effects, and alters them only for a planted fault.
struct WatchedAdapter<Base: AgentAdapter>: AgentAdapter {
    private var base: Base
    private unowned let host: HostProcess
    private unowned let world: World
    /// The last offer and standing of each session.
    private var offers: [SessionID: SteeringOffer] = [:]
    private var standings: [SessionID: SteeringStanding] = [:]

    init(_ base: Base, of host: HostProcess, in world: World) {
        self.base = base
        self.host = host
        self.world = world
    }

    var name: String { base.name }
    var nextDeadline: Int64? { base.nextDeadline }
    func isLive(_ session: SessionID) -> Bool { base.isLive(session) }
    var liveSessions: [AgentSession] { base.liveSessions }
    var questions: [AgentQuestion] { base.questions }

    mutating func handle(_ input: AgentInput<Base.Fact>, at now: HostInstant) -> [AgentEffect<Base.Order>] {
        switch input {
        case .steer(let request): given(request)
        case .notRecorded(let id): world.agents.notAsked(id)
        default: break
        }
        let effects = base.handle(input, at: now).map(planted)
        for effect in effects { look(at: effect) }
        return effects
    }

    /// Checks a command given by the host: only an action that the session offers, and a prompt outside of a turn only while it
    /// reports to be idle.
    private func given(_ request: SteeringRequest) {
        host.given.append(request)
        let kind = request.action.kind
        if offers[request.session]?.actions.contains(kind) != true {
            world.report(.steering, "\(request.name.command) is given to \(request.session), which does not offer \(kind)")
        }
        guard case .prompt(let prompt) = request.action, prompt.whenBusy != .steer else { return }
        if standings[request.session] != .idle {
            world.report(.steering, "\(request.name.command) is given to \(request.session), which is not idle")
        }
    }

    private mutating func look(at effect: AgentEffect<Base.Order>) {
        switch effect {
        case .emit(let session, let bytes, _):
            host.ledger.emitted()
            switch (try? Event(stored: bytes))?.head {
            case .approvalRequested(let request)?:
                world.agents.shown(request, words: Self.words(in: bytes), in: session, at: world.now)
            // An answer to something else, or a clock that jumped, ends the approval but not the agent's question.
            case .approvalStale(let id, "digestMismatch")?, .approvalCancelled(let id, "expired")?: world.agents.notAsked(id)
            default: break
            }
        case .offer(let session, let offer): offers[session] = offer
        case .stands(let session, let standing): standings[session] = standing
        case .steered(_, let change): if change.stage.isFinal { host.given.removeAll { $0.name == change.name } }
        case .stream, .show, .respond, .restrict, .heed, .checkAgents, .askAll, .launched, .launch, .begin, .remember, .own:
            break
        }
    }

    /// The text shown to people: the command, or the file that changes.
    private static func words(in event: [UInt8]) -> String {
        guard let input = (try? JSONDocument(parsing: event))?.root.optional("body")?.optional("input") else { return "" }
        return input.text("command") ?? input.list("changes").first?.text("path") ?? ""
    }

    /// Alters an effect as an adapter with the planted bug would.
    private func planted(_ effect: AgentEffect<Base.Order>) -> AgentEffect<Base.Order> {
        switch (world.plant, effect) {
        case (.acceptedPrompt, .steered(let session, let change)) where change.stage == .given:
            .steered(session, SteeringChange(change.name, .taken))
        default: effect
        }
    }
}
