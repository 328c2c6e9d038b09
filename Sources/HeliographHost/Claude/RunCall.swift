internal import AgentClaude
import Glibc
internal import HeliographCrypto
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import RelayProtocol

/// `heliograph run -- claude ARGS`: Claude Code without its own screen, steered from this terminal and by clients.
package enum RunCall {
    /// Returns the agent's exit status, or a shell's status for a program that did not start; 2 for invalid arguments.
    /// `waitSeconds`: time for which a permission waits for a decision if no person is at a terminal. `start`: set if the daemon
    /// starts the session; the daemon reads its output as long as it runs itself, and after that nothing does.
    package static func run(
        _ command: [String], executable: String, waitSeconds: Int64?, start: RunStart? = nil
    ) throws -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        if let start {
            // The process belongs to no terminal, and outlives the one from which the daemon was started.
            setsid()
            guard unsafe chdir(start.folder) == 0 else { return refuse("\(start.folder) cannot be worked in") }
        }
        guard let program = command.first, program.split(separator: "/").last == "claude" else {
            return refuse("heliograph run knows how to run claude: heliograph run -- claude")
        }
        guard let fresh = HookRequest.randomCall(), let seed = HookRequest.randomCall() else {
            throw HostError(.system, "the system gives no random bytes")
        }
        let arguments: ControlArguments
        do {
            arguments = try ControlArguments(Array(command.dropFirst()), fresh: start?.session ?? ClaudeControl.uuid(fresh))
        } catch {
            return refuse(error.message)
        }
        let lock: SessionLock
        do throws(HostError) {
            // A client that resumes the session has only just learned that it has ended, so the old process gets some time to
            // leave.
            lock = try SessionLock.take(arguments.session, within: start == nil ? .zero : SessionLock.leavesWithin)
        } catch {
            guard error.code == .sessionOpen else { throw error }
            return refuse(error.message)
        }
        guard let session = SessionID("claude-" + arguments.session) else { return refuse("this is no name of a session") }
        if let remark = ClaudeHookPolicy.remark {
            HookStream.write(Array("heliograph: \(VisibleText.line(remark))\n".utf8), to: STDERR_FILENO)
        }
        let isConnected = ClaudeConnect.isConnectedHere
        if !isConnected, arguments.hasSettings {
            return refuse("with --settings of your own, first have Claude Code call heliograph: heliograph connect claude")
        }
        let hooks = isConnected ? nil : try ClaudeSettings.hooks(executable: HookProgram.path(beside: executable))
        let control = ClaudeControl(
            session: arguments.session, seed: seed, hasTerminal: isatty(STDIN_FILENO) == 1,
            digests: Digests { Crypto.hex(Crypto.sha256($0)) },
            limits: ControlLimits(decideWithin: waitSeconds.map { .seconds($0) }))
        return try begin(
            arguments.command(program, settings: hooks), arguments.session, session, control, lock, isWatched: start == nil)
    }

    private static func begin(
        _ command: [String], _ name: String, _ session: SessionID, _ control: ClaudeControl, _ lock: consuming SessionLock,
        isWatched: Bool
    ) throws -> Int32 {
        let inbox = try LoopInbox<RunItem>()
        let signals = BlockedSignals(BlockedSignals.ending)
        let child: AgentChild
        // The agent is in another process group: Ctrl-C at the terminal interrupts the turn, and must not end the agent.
        do {
            child = try AgentChild(
                command, isApart: true, environment: ["\(ClaudeHooks.run)=\(name)"], errors: isWatched ? .ours : .apart)
        } catch let failure as HostError where failure.code == .notStarted {
            HookStream.write(Array("heliograph: \(failure.message)\n".utf8), to: STDERR_FILENO)
            return failure.shellStatus
        }
        let link = try SteeringLink(session: session, socketPath: HostPaths().socket, inbox: inbox, limits: .ofSoleProgram)
        let rivals = SessionRivals(of: name, beside: child.process)
        let isStarted =
            link.start() && passErrors(of: child) && BackgroundThread.start { inbox.put(.ended(child.waitForEnd())) }
            && BackgroundThread.start { while true { inbox.put(.signal(signals.next().number)) } }
            && rivals.watch { inbox.put(.openedElsewhere($0)) }
        guard isStarted else {
            kill(child.process, SIGKILL)
            throw HostError(.system, "no thread could be started")
        }
        var loop = RunLoop(
            child: child, control: control, hasTerminal: control.hasTerminal, inbox: inbox, steering: link, rivals: rivals,
            limits: ChildLimits())
        let end = loop.run()
        // The agent has ended, so the next one may begin while our last reports are sent.
        _ = consume lock
        link.finish()
        let again = "\nThis session goes on with: claude --resume \(name)\nor: heliograph run -- claude --resume \(name)\n"
        HookStream.write(Array(again.utf8))
        return end.exit
    }

    /// Passes the agent's errors on. They have no reader once the process that started us is gone, and the agent must not fail
    /// because of that.
    private static func passErrors(of child: AgentChild) -> Bool {
        guard let errors = child.errors else { return true }
        return BackgroundThread.start {
            while true {
                guard let bytes = PipeRead.bytes(from: errors, max: 4 << 10) else { continue }
                if bytes.isEmpty { return }
                HookStream.write(bytes, to: STDERR_FILENO)
            }
        }
    }

    private static func refuse(_ sentence: String) -> Int32 {
        ProgramRequest.complain(sentence)
        return 2
    }
}
