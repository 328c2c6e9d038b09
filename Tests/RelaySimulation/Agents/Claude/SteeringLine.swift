import AgentClaude
import HostCore
import RelayProtocol

/// The connection of one run of a program to the daemon, by the product's `SteeringLink`: sends the outcomes of commands first,
/// then the current offer. Failed reports are kept for the daemon.
final class SteeringLine {
    private unowned let world: World
    private let client: LocalClient<ClaudeFact>
    private let session: SessionID
    private let process: AgentProcess
    private let run: ProgramRun
    private let took: (SteeringRequest) -> Void
    private var listener: CommandListener<ClaudeFact>?
    private var stand: SteeredWord?
    private var isStandTold = true
    private var changes: [SteeringChange] = []
    private var isTelling = false
    private var isClosing = false
    /// True if everything is sent, or cannot be sent any more.
    private(set) var isOver = false
    /// Called if the daemon has been away since the last report.
    var cameBack: () -> Void = {}
    private var isAway = false

    init(
        world: World, host: HostProcess, session: SessionID, process: AgentProcess, took: @escaping (SteeringRequest) -> Void
    ) {
        self.world = world
        self.session = session
        self.process = process
        self.took = took
        client = LocalClient(world: world, host: host, of: ClaudeHooks.adapter)
        run = ProgramRun(name: world.name("run"), since: world.now)
        listener = CommandListener(
            world: world, client: client, fact: fact(.waits), took: { [unowned self] in handed($0) },
            sayAgain: { [unowned self] in sayAgain() })
        listener?.listen()
    }

    func stand(_ offer: SteeringOffer, _ standing: SteeringStanding) {
        stand = .stands(offer, standing)
        isStandTold = false
        tellNext()
    }

    func tell(_ change: SteeringChange) {
        changes.append(change)
        tellNext()
    }

    func daemonGone() { client.daemonGone() }

    /// The agent has ended: sends the remaining reports, then closes its request.
    func finish() {
        isClosing = true
        tellNext()
    }

    /// The program has ended; its unsent reports are lost.
    func end() {
        (isClosing, isOver) = (true, true)
        listener?.forget()
        client.end()
        changes = []
    }

    private func leave() {
        isOver = true
        listener?.end()
    }

    // MARK: Telling

    private func fact(_ word: SteeredWord) -> (HookToken) -> ClaudeFact {
        let (session, run, process) = (session, run, process)
        return { .programSaid(word, session, by: run, in: process, $0) }
    }

    private func tellNext() {
        guard !isTelling else { return }
        if let change = changes.first {
            return post(.told(change)) { [self] reply in
                if case .gone = reply { return false }
                if changes.first == change { changes.removeFirst() }
                return true
            }
        }
        // A closing program offers nothing any more, because another may have the session by now.
        if isClosing { return leave() }
        guard let stand, !isStandTold else { return }
        isStandTold = true
        post(stand) { [self] reply in
            // The daemon learns of the session by its first hook, which may be in flight.
            guard case .answered(.some) = reply else {
                isStandTold = false
                return false
            }
            if isAway { cameBack() }
            isAway = false
            return true
        }
    }

    private func post(_ word: SteeredWord, _ isTold: @escaping (LocalClient<ClaudeFact>.Reply) -> Bool) {
        isTelling = true
        client.post(fact(word)) { [self] reply in
            isTelling = false
            if case .gone = reply { isAway = true }
            if isTold(reply) { return tellNext() }
            // A closing program does not wait longer than its grace.
            if isClosing { return leave() }
            isTelling = true
            world.after(world.dice.within(100...2_000)) { [self] _ in
                isTelling = false
                tellNext()
            }
        }
    }

    // MARK: Listening

    private func sayAgain() {
        guard stand != nil, !isClosing else { return }
        isStandTold = false
        tellNext()
    }

    private func handed(_ request: SteeringRequest) {
        guard isClosing else { return took(request) }
        tell(SteeringChange(request.name, .refused, reason: "the agent has ended"))
    }
}
