internal import AgentLocal
import Glibc
internal import HeliographHook
internal import HostCore
internal import RelayProtocol

/// Waits at the daemon for clients' commands to one session, on its own thread. Each command is passed on once; its outcome is
/// reported elsewhere.
struct SteeringListener: Sendable {
    /// Result of one request.
    private enum Heard {
        case command(SteeringRequest)
        /// No command came in the time for which the daemon keeps a request open.
        case nothing
        /// The daemon lacks the session's offer: it was restarted, or the session is new to it.
        case forgotten
        /// The daemon was away, or ended.
        case away
        /// Another program waits for this session's commands, the session is over, or the daemon is of another version.
        case unwanted
    }

    let session: SessionID
    /// The adapter's name; nil for a program's own session, which the host calls by another name than the program.
    var adapter: String?
    /// The run of the program that waits.
    let run: ProgramRun
    let socketPath: String
    let limits: DaemonLimits

    /// Listens until no more commands are wanted. Then its request is closed, which tells the daemon that nobody will report the
    /// outcomes of the commands that it gave. A program that has to report them keeps it open until it has done so.
    func listen(isWanted: @escaping () -> Bool, sayAgain: () -> Void, took: (SteeringRequest) -> Void) {
        while isWanted() {
            let begun = ContinuousClock.now
            let pause: Duration
            switch next(isWanted, since: begun) {
            case .command(let request):
                took(request)
                continue
            case .nothing: pause = .zero
            case .forgotten, .away:
                sayAgain()
                pause = limits.retryInterval
            case .unwanted: pause = limits.unwantedInterval
            }
            wait(pause, isWanted)
        }
    }

    private func next(_ isWanted: @escaping () -> Bool, since begun: ContinuousClock.Instant) -> Heard {
        let word = SteeredWord.waits
        let exchange = HookExchange(
            agent: word.path, word.bytes(in: session.rawValue, of: adapter, by: run), socketPath: socketPath,
            budget: limits.postBudget, isAgentAlive: isWanted)
        guard let socket = HookSocket(connectingTo: socketPath, until: .now + limits.postBudget),
            case .answered(let status, let answer) = exchange.exchange(exchange.request.bytes(), on: socket, until: nil)
        else { return .away }
        switch status {
        case 200:
            // The command as the relay sent it to the daemon. One that cannot be read is not carried out; its outcome is reported
            // when the time for evidence is over.
            guard let asked = HandedCommand.read(answer), isMeant(asked.session) else { return .away }
            return .command(asked)
        // A daemon that knows the session keeps the request open for longer.
        case 204: return ContinuousClock.now - begun < limits.retryInterval ? .forgotten : .nothing
        case 409:
            let path = (try? JSONDocument(parsing: answer).root)?.text("path")
            return path == LocalError.offerPath ? .forgotten : .unwanted
        case 400...499: return .unwanted
        default: return .away
        }
    }

    /// True if the command is for this session. If its name with the adapter's in front is too long, only the host knows the name
    /// it uses.
    private func isMeant(_ named: SessionID) -> Bool {
        let expected = adapter == nil ? SessionID("\(LocalIntegration.name)-\(session.rawValue)") : session
        return expected.map { $0 == named } ?? true
    }

    private func wait(_ duration: Duration, _ isWanted: () -> Bool) {
        let end = ContinuousClock.now + duration
        while isWanted(), ContinuousClock.now < end {
            let parts = min(end - .now, limits.retryInterval).components
            var time = timespec(tv_sec: Int(max(0, parts.seconds)), tv_nsec: Int(max(0, parts.attoseconds / 1_000_000_000)))
            // A signal that ends the sleep only makes one check early.
            unsafe nanosleep(&time, nil)
        }
    }
}
