internal import AgentClaude
import Glibc
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import RelayProtocol
internal import Synchronization

/// The session of any program in a terminal of ours: it begins and ends with the program. Clients see its screen, and can stop it.
struct ShellSession: HeldProgram {
    let session: SessionID?
    private let program: String
    private let reports: ShellReports
    private var stop: SteeringName?
    /// Time at which the program, which was asked to end, is killed.
    private var killAt: Int64?

    /// Milliseconds until a program is killed after it was told that its terminal is gone.
    private static let killAfter: Int64 = 5_000

    /// `terminal`: the name of the terminal among this user's.
    init(_ command: [String], terminal: String, inbox: LoopInbox<RunItem>) throws {
        guard let own = SessionID("shell-\(terminal)"), let path = command.first else {
            preconditionFailure("a terminal's name is an identifier, and a command names a program")
        }
        program = ShownPaths.last(path)
        session = SessionID("\(LocalIntegration.name)-\(own.rawValue)")
        reports = try ShellReports(
            own, program: program, title: command.joined(separator: " "), inbox: inbox)
    }

    func variables(_ socket: String) -> (added: [String], without: [String]) { ([], [TerminalNotice.variable]) }
    var nextDeadline: Int64? { killAt }
    var isAtWork: Bool { false }
    var listed: (session: String?, doing: String?, program: String?) { (nil, nil, program) }

    mutating func began(process: pid_t) { reports.start(process) }
    mutating func look() -> [TypingFact] { [] }
    mutating func reported(_ prompt: TakenPrompt) -> Bool { false }

    mutating func handle(_ fact: TypingFact, at now: Int64) -> [TypingOrder] {
        switch fact {
        case .steered(let request):
            guard request.session == session, reports.link.takes(request.name) else { return [] }
            guard request.action == .stop else {
                reports.link.tell(SteeringChange(request.name, .refused, reason: "this session does not take it"))
                return []
            }
            reports.link.tell(SteeringChange(request.name, .given))
            killAt = now + Self.killAfter
            return [.hangUp]
        case .terminated:
            killAt = now + Self.killAfter
            return [.hangUp]
        case .timerFired:
            killAt = nil
            return [.kill]
        case .prompted(_, in: _, mode: _, isProvable: _, let token): return [.answer(token, refusal: nil)]
        case .ended:
            killAt = nil
            return []
        case .opened, .does, .shows, .keyTyped, .keyHeld, .submitted, .interruptWritten: return []
        }
    }

    mutating func finish(exit: Int32) { reports.finish(exit: exit) }
}

/// Reports the session to the daemon, on its own thread: its start, as soon as there is a daemon, and its end.
private final class ShellReports: Sendable {
    private enum Phase { case untold, told, over }

    let link: SteeringLink
    private let own: SessionID
    private let program: String
    private let title: String
    private let socketPath = HostPaths().socket
    private let phase = Mutex(Phase.untold)
    private let over: WakePipe
    private let limits = DaemonLimits.ofSoleProgram
    /// Time for the daemon's answer, which comes when the relay knows the session, or after two seconds.
    private static let answerWithin = Duration.seconds(5)

    init(_ own: SessionID, program: String, title: String, inbox: LoopInbox<RunItem>) throws {
        self.own = own
        self.program = program
        self.title = title
        over = try WakePipe()
        link = try SteeringLink(session: own, of: nil, socketPath: socketPath, inbox: inbox, limits: limits)
        var offer = SteeringOffer(actions: [.stop])
        offer.hasScreen = true
        // Whatever runs in it asks nobody here.
        offer.hold = .unchanged
        link.stand(offer, .busy)
    }

    func start(_ process: pid_t) {
        var facts = SessionFacts(agentName: program)
        facts.title = title
        (facts.workingDirectory, facts.folder) = (HeldSession.directory, HeldSession.directory)
        let begin = [EventHead.sessionStarted(facts), .statusChanged(.running, reason: nil)]
        _ = BackgroundThread.start { [self] in
            while !send(begin, by: process) {
                guard HookSocket.wait(for: POLLIN, on: over.readEnd, until: .now + limits.retryInterval) == .timedOut else {
                    return
                }
            }
            let isWanted = phase.withLock { phase in
                defer { if phase == .untold { phase = .told } }
                return phase == .untold
            }
            if isWanted { _ = link.start() }
        }
    }

    func finish(exit: Int32) {
        let wasTold = phase.withLock { phase in
            defer { phase = .over }
            return phase == .told
        }
        over.wake()
        guard wasTold else { return }
        // Sent before the link closes, because it is the outcome of a command to stop the session.
        _ = send([.sessionEnded(reason: exit == 0 ? nil : "exit \(exit)", failed: exit != 0)], by: nil)
        link.finish()
    }

    private func send(_ heads: [EventHead], by process: pid_t?) -> Bool {
        let lines = heads.map { ReportQueue.line(own, Event($0, at: HostInstant.now.wall)) }
        let exchange = HookExchange(
            agent: "events", lines.flatMap { $0 + [UInt8(ascii: "\n")] }, caller: HookCaller(process: process.map { "\($0)" }),
            socketPath: socketPath, budget: Self.answerWithin)
        guard let (status, _) = exchange.send() else { return false }
        return status == 200
    }
}
