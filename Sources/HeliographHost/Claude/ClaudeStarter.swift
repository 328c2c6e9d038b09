internal import AgentClaude
internal import Glibc
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import RelayProtocol
internal import WebSocketEngine

/// Starts and resumes sessions of Claude Code for clients: each is its own `heliograph run`, in the project's folder, with the
/// daemon's environment, without a shell and without a terminal.
///
/// The run outlives the daemon, and reports to the next one what can be done to it. It ends by `stop`, or when it is killed.
final class ClaudeStarter {
    static let program = "claude"

    /// Bytes kept of the run's output: its last words, if it ends at once.
    private static let wordsBytesMax = 4 << 10

    private let seat: DriverSeat

    init(_ seat: DriverSeat) { self.seat = seat }

    func launch(_ order: LaunchOrder) {
        let (bound, handle) = (LoopBound(seat, loop: seat.loop), seat.loop.handle)
        let tell: @Sendable (LaunchOutcome) -> Void = { outcome in
            handle.execute { bound.value.tell(ClaudeFact.launched(order.name, outcome)) }
        }
        // Each run has a thread for as long as it lives; the host limits their number.
        let isStarted = BackgroundThread.start {
            guard case .past = order.launch.purpose else { return Self.run(order, tell) }
            tell(.listed(ClaudePast(of: order.folder).list()))
        }
        if !isStarted { tell(.refused("the host could start no thread")) }
    }

    private static func run(_ order: LaunchOrder, _ tell: (LaunchOutcome) -> Void) {
        let session: String
        let command: [String]
        do throws(StartError) {
            (session, command) = try self.command(for: order)
        } catch { return tell(.refused(error.reason)) }
        guard let id = SessionID("claude-" + session) else { return tell(.refused("that is no name of a session")) }
        let child: AgentChild
        do {
            child = try AgentChild(command, errors: .withOutput)
        } catch let failure as HostError where failure.code == .notStarted {
            return tell(.refused(failure.message))
        } catch { return tell(.refused("\(error)")) }
        // The run has no keyboard.
        close(child.input)
        tell(.began(id, AgentProcessTable.process(child.process)))
        let words = lastWords(of: child)
        let end = child.waitForEnd()
        tell(.ended(id, words: words ?? end.reason))
    }

    /// Reads the output to its end, so that the run never blocks on it. Returns the last words.
    private static func lastWords(of child: AgentChild) -> String? {
        var kept: [UInt8] = []
        while true {
            guard let bytes = PipeRead.bytes(from: child.output, max: wordsBytesMax) else { continue }
            if bytes.isEmpty { break }
            kept = Array((kept + bytes).suffix(wordsBytesMax))
        }
        close(child.output)
        let lines = String(decoding: kept, as: UTF8.self).split(whereSeparator: \.isNewline)
        let complaint = lines.last { $0.hasPrefix(ProgramRequest.complaint) }.map {
            $0.dropFirst(ProgramRequest.complaint.count)
        }
        return (complaint ?? lines.last).map { VisibleText.line(String($0)) }
    }

    private struct StartError: Error { let reason: String }

    private static func command(for order: LaunchOrder) throws(StartError) -> (session: String, command: [String]) {
        guard let own = OwnProgram.path else { throw StartError(reason: "this program cannot be found any more") }
        guard let claude = InstalledProgram.path(of: program) else {
            throw StartError(reason: "claude is not on the PATH of this host's daemon")
        }
        let run = [own, "run", "--folder", order.folder]
        // The agent's own default may be a mode in which nobody is asked.
        var arguments = ["--permission-mode", order.launch.mode ?? ClaudeControl.modes[0]]
        if let model = order.launch.model {
            guard model.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !model.hasPrefix("-") else {
                throw StartError(reason: "that is no name of a model")
            }
            arguments += ["--model", model]
        }
        if case .resume(let past) = order.launch.purpose {
            guard ClaudePast.isName(past), ClaudePast(of: order.folder).has(past) else {
                throw StartError(reason: "this project has no such session")
            }
            return (past.lowercased(), run + ["--", claude, "--resume", past] + arguments)
        }
        guard let random = HookRequest.randomCall() else { throw StartError(reason: "the system gives no random bytes") }
        let session = ClaudeControl.uuid(random)
        return (session, run + ["--session", session, "--", claude] + arguments)
    }
}
