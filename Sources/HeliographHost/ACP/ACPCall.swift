internal import AgentACP
import Glibc
internal import HeliographHook
internal import HeliographPlatform
package import Logging

/// `heliograph acp -- AGENT ARGS`, which an editor starts in the agent's place. At a terminal and with a prompt, it takes the
/// editor's place too.
package enum ACPCall {
    /// Returns the status with which the agent ended, or a shell's status for a program that did not start; without an editor 0 or
    /// 1.
    package static func run(_ command: [String], prompt: String?, software: String, logger: Logger) throws -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        var limits = ACPDriverLimits()
        let hasTerminal = isatty(STDIN_FILENO) == 1
        var client: ACPClientMachine?
        if hasTerminal || prompt != nil {
            client = ACPClientMachine(directory: try folder(), version: software, prompt: prompt, hasTerminal: hasTerminal)
        }
        limits.isAttended = client == nil || hasTerminal
        let inbox = try LoopInbox<ACPItem>()
        guard let run = HookRequest.randomCall() else { throw HostError(.system, "the system gives no random bytes") }
        let signals = BlockedSignals(BlockedSignals.ending)
        let child: AgentChild
        do { child = try AgentChild(command) } catch let failure as HostError where failure.code == .notStarted {
            logger.error("\(failure.message)")
            return failure.shellStatus
        }
        if !limits.isAttended { limits.questionSeconds = limits.headlessQuestionSeconds }
        let reporter = try DaemonReporter(socketPath: HostPaths().socket, inbox: inbox, limits: limits, logger: logger)
        let isStarted =
            reporter.start() && BackgroundThread.start { inbox.put(.ended(child.waitForEnd())) }
            && BackgroundThread.start { pass(signals, to: inbox) }
        guard isStarted else {
            kill(child.process, SIGKILL)
            throw HostError(.system, "no thread could be started")
        }
        let name = command[0].split(separator: "/").last.map(String.init) ?? command[0]
        var loop = ACPProxyLoop(
            child: child,
            machine: ACPProxyMachine(run: run, agentName: name, takesPrompts: prompt == nil, isAlone: client != nil),
            client: client, inbox: inbox, reporter: reporter, limits: limits)
        let end = loop.run()
        reporter.finish()
        return end.exit
    }

    private static func folder() throws -> String {
        // The system allocates the path; it is freed below.
        guard let path = unsafe getcwd(nil, 0) else { throw HostError(.system, "this folder is gone") }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    private static func pass(_ signals: BlockedSignals, to inbox: LoopInbox<ACPItem>) {
        while true {
            let signal = signals.next()
            // A terminal's signals reach the agent without us, because it is in our process group.
            if signal.isFromProcess { inbox.put(.signal(signal.number)) }
        }
    }
}
