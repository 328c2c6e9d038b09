import AgentACP
import AgentLocal
import HostCore
import RelayProtocol

/// The proxy's ordered events and questions to the daemon. Events are queued while the daemon is away, questions are not.
final class ACPReporter {
    private enum Item {
        case say((HookToken) -> LocalFact)
        /// The session's offer, read when this is sent.
        case stands(SessionID)
        case ask(ACPQuestion)
        case closed(SessionID)
    }

    private unowned let world: World
    private let client: LocalClient<LocalFact>
    private var process = AgentProcess(id: 0, startedAt: 0)
    private var perform: (ACPFact) -> Void = { _ in }
    private var items: [Item] = []
    private var isSending = false
    private var isClosing = false
    private var life = 0
    private var asking: [ApprovalID: Int] = [:]
    private var wanted: Set<ApprovalID> = []
    private var stands: [SessionID: ACPStand] = [:]
    /// Listeners for the commands of sessions.
    private var listeners: [SessionID: CommandListener<LocalFact>] = [:]

    init(world: World, host: HostProcess) {
        self.world = world
        client = LocalClient(world: world, host: host, of: LocalAdapter.name)
    }

    // MARK: Life

    func begin(as process: AgentProcess, _ perform: @escaping (ACPFact) -> Void) {
        end()
        (self.process, self.perform) = (process, perform)
        isClosing = false
    }

    /// The process has ended; its unsent reports are lost.
    func end() {
        life += 1
        client.end()
        (items, isSending) = ([], false)
        for listener in listeners.values { listener.forget() }
        (asking, wanted, stands, listeners) = ([:], [], [:], [:])
    }

    /// The agent has ended: sends the remaining events.
    func finish() {
        isClosing = true
        for approval in wanted { withdraw(approval) }
        perform = { _ in }
    }

    func daemonGone() { client.daemonGone() }
    func refused(_ token: HookToken, _ error: LocalError) { client.refused(token, error) }

    // MARK: What the proxy says

    func tell(_ session: SessionID, _ event: Event) {
        let line = Array("{\"session\":\"\(session.rawValue)\",".utf8) + event.bytes.dropFirst()
        guard let events = try? LocalEvent.all(in: line) else {
            preconditionFailure("an event: \(String(decoding: line, as: UTF8.self))")
        }
        let process = process
        put(.say { .eventsSent(events, by: process, $0) })
    }

    func settled(_ session: SessionID, _ approval: ApprovalID, _ outcome: ACPOutcome) {
        let body = JSONWriter.object {
            $0.field("session", session)
            $0.field("approval", approval)
            $0.field("outcome", outcome.rawValue)
        }
        guard let settled = try? LocalSettlement(parsing: body) else { preconditionFailure("an end of a question") }
        let process = process
        put(.say { .settled(settled, by: process, $0) })
    }

    func steered(_ session: SessionID, _ change: SteeringChange) { put(.say(fact(.told(change), session))) }

    func stand(_ session: SessionID, _ stand: ACPStand?) {
        let isKnown = stands[session] != nil
        stands[session] = stand
        guard stand != nil else { return put(.closed(session)) }
        put(.stands(session))
        guard !isKnown else { return }
        let listener = CommandListener(
            world: world, client: client, fact: fact(.waits, session),
            took: { [unowned self] in take($0, session) }, sayAgain: { [unowned self] in put(.stands(session)) })
        listeners[session] = listener
        listener.listen()
    }

    func ask(_ question: ACPQuestion) {
        wanted.insert(question.approval)
        put(.ask(question))
    }

    func withdraw(_ approval: ApprovalID) {
        wanted.remove(approval)
        if let request = asking.removeValue(forKey: approval) { client.close(request) }
    }

    private func fact(_ word: SteeredWord, _ session: SessionID) -> (HookToken) -> LocalFact {
        guard let steering = try? LocalSteering(word.path, word.bytes(in: session.rawValue)) else {
            preconditionFailure("a word: \(word)")
        }
        let process = process
        return { .steering(steering, by: process, $0) }
    }

    // MARK: In order

    private func put(_ item: Item) {
        items.append(item)
        sendNext()
    }

    private func sendNext() {
        guard !isSending, !items.isEmpty else { return }
        switch items[0] {
        case .say(let fact): send(fact)
        case .stands(let session):
            guard let stand = stands[session] else { return skip() }
            send(fact(.stands(stand.offer, stand.standing), session))
        case .ask(let question):
            skip()
            post(question)
        case .closed(let session):
            listeners.removeValue(forKey: session)?.forget()
            skip()
        }
    }

    private func skip() {
        items.removeFirst()
        sendNext()
    }

    private func send(_ fact: @escaping (HookToken) -> LocalFact) {
        isSending = true
        let life = life
        client.post(fact) { [self] reply in
            guard life == self.life else { return }
            isSending = false
            guard case .gone = reply else { return skip() }
            isSending = true
            removeQuestions()
            world.after(world.dice.within(100...2_000)) { [self] _ in
                guard life == self.life else { return }
                isSending = false
                sendNext()
            }
        }
    }

    /// The daemon is away: its questions end without a decision.
    private func removeQuestions() {
        var left: [ApprovalID] = []
        items.removeAll { item in
            guard case .ask(let question) = item else { return false }
            left.append(question.approval)
            return true
        }
        for approval in left where wanted.remove(approval) != nil { perform(.undecided(approval)) }
    }

    // MARK: Each on its own

    private func post(_ question: ACPQuestion) {
        let approval = question.approval
        guard wanted.contains(approval), !isClosing else { return }
        guard let request = try? LocalAsk(parsing: question.json(waitSeconds: 600)) else { preconditionFailure("a question") }
        let (process, life) = (process, life)
        asking[approval] = client.post({ .asked(request, by: process, $0) }) { [self] reply in
            guard life == self.life, wanted.contains(approval) else { return }
            asking[approval] = nil
            if case .gone = reply {
                // Asks again when the daemon is back.
                return world.after(world.dice.within(100...2_000)) { [self] _ in if life == self.life { post(question) } }
            }
            wanted.remove(approval)
            guard case .answered(let output?) = reply, let verdict = ACPVerdict(answer: output) else {
                return perform(.undecided(approval))
            }
            perform(.decided(approval, verdict))
        }
    }

    private func take(_ request: SteeringRequest, _ session: SessionID) {
        guard isClosing else { return perform(.steered(session, request)) }
        steered(session, SteeringChange(request.name, .refused, reason: "the agent has ended"))
    }
}
