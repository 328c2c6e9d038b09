internal import AgentClaude
import Glibc
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import Synchronization

/// A tool server's question in a `heliograph run`, put to clients as the agent's own hook would, from its own thread, which waits
/// for the answer.
final class RunQuestion: Sendable {
    /// Time between two times of asking: a relay that restarts is back by then, and an answer that did not fit can soon be given
    /// again.
    private static let againAfter = Duration.seconds(3)
    /// Interval of the check whether it was answered here.
    private static let look = Duration.milliseconds(200)

    private let isWithdrawn = Mutex(false)

    /// Asks clients. The answer goes to `inbox`, once, unless the question is withdrawn.
    init(_ request: String, _ payload: [UInt8], agent: Int32, inbox: LoopInbox<RunItem>) {
        let isStarted = BackgroundThread.start { [self] in
            while !isOver {
                if let output = ask(payload, agent) { return inbox.put(.answeredAfar(request: request, output)) }
                let next = ContinuousClock.now + Self.againAfter
                while !isOver, .now < next { usleep(UInt32(Self.look.milliseconds * 1_000)) }
            }
        }
        if !isStarted { ProgramRequest.complain("no thread could be started: clients are not asked") }
    }

    /// The question was answered here, or is gone.
    func withdraw() { isWithdrawn.withLock { $0 = true } }

    private var isOver: Bool { isWithdrawn.withLock { $0 } }

    /// Asks once. Nil if there is no decision: the daemon, or its relay, is away.
    private func ask(_ payload: [UInt8], _ agent: Int32) -> [UInt8]? {
        let call = HookRequest(
            path: ["hook", ClaudeIntegration.name, ClaudeHooks.elicitation], body: payload, call: HookRequest.randomCall(),
            caller: HookCaller(process: "\(agent)", attended: HookCaller.run))
        guard let call else { return nil }
        var exchange = HookExchange(request: call, socketPath: HostPaths().socket)
        exchange.limits.agentCheck = Self.look
        exchange.isAgentAlive = { [self] in !isOver }
        exchange.isAttended = true
        return exchange.ask()
    }
}
