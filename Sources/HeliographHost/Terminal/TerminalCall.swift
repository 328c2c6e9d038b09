internal import AgentClaude
import Glibc
internal import HeliographHook
internal import HeliographPlatform
internal import RelayProtocol

/// `heliograph claude` and `heliograph shell`: a program with its own screen, in a terminal held by a process of ours, so that
/// clients can see and steer it too, and the person can leave it and come back.
package struct TerminalCall {
    private let kind: HeldKind

    package init(_ kind: HeldKind) { self.kind = kind }

    /// The key that leaves a window, as people call it.
    package static let leaveKey = "Ctrl-\\"

    private static let usage: Int32 = 2
    private static let gone: Int32 = 1

    // MARK: - Start

    /// Starts `claude` with these arguments, or this command, and shows it. Returns its exit status, or 0 if the person left it running.
    package func start(_ arguments: [String], executable: String) throws -> Int32 {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            return Self.refuse(kind.needsTerminal)
        }
        if kind == .claude, let session = Self.resumed(arguments), let refusal = LiveSessions.refusal(toOpen: session) {
            return Self.refuse(refusal)
        }
        if kind == .claude, let remark = ClaudeHookPolicy.remark { Self.say(VisibleText.line(remark)) }
        let holder = try AgentChild([executable, kind.rawValue, "hold", executable] + arguments)
        close(holder.input)
        defer { close(holder.output) }
        guard let line = Self.firstLine(from: holder.output) else {
            kill(holder.process, SIGTERM)
            _ = holder.waitForEnd()
            throw HostError(.system, "the process that holds the terminal did not come up")
        }
        // The holder prints the terminal's name, or the reason why there is none.
        guard line.hasPrefix("=") else {
            _ = holder.waitForEnd()
            return Self.refuse(line)
        }
        return try show(String(line.dropFirst()))
    }

    private static func firstLine(from descriptor: Int32) -> String? {
        let limits = TerminalLimits()
        let until = ContinuousClock.now + limits.startWithin
        var bytes: [UInt8] = []
        while HookSocket.wait(for: POLLIN, on: descriptor, until: until) == .ready, bytes.count < limits.readBytes {
            guard let more = PipeRead.bytes(from: descriptor, max: limits.readBytes) else { continue }
            bytes += more
            if let feed = bytes.firstIndex(of: UInt8(ascii: "\n")) { return String(decoding: bytes[..<feed], as: UTF8.self) }
            if more.isEmpty { return nil }
        }
        return nil
    }

    private static func resumed(_ arguments: [String]) -> String? {
        for (place, argument) in arguments.enumerated() {
            if ["--resume", "-r"].contains(argument), place + 1 < arguments.count { return arguments[place + 1].lowercased() }
            if argument.hasPrefix("--resume=") { return argument.dropFirst(9).lowercased() }
        }
        return nil
    }

    // MARK: - Attach, list

    /// Shows a running terminal; without a name, the only one there is.
    package func attach(_ id: String?) throws -> Int32 {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            return Self.refuse("\(kind.command) attach needs a terminal")
        }
        let all = all
        let named = id.map { id in all.filter { $0.id == id || $0.session?.hasPrefix(id.lowercased()) == true } } ?? all
        guard let one = named.first else {
            return Self.refuse(id.map(nobody) ?? "none runs: \(kind.command) starts one")
        }
        guard named.count == 1 else {
            Self.list(all)
            return Self.refuse("which one? \(kind.command) attach ID")
        }
        return try show(one.id)
    }

    private var all: [HeldTerminal] { HeldTerminal.all().filter(kind.runs) }

    private func nobody(_ id: String) -> String { "\(kind.nothingRuns) as \(id): \(kind.command) list" }

    package func list() {
        let all = all
        if all.isEmpty { HookStream.write(Array("None runs. \(kind.command) starts one.\n".utf8)) } else { Self.list(all) }
    }

    private static func list(_ all: [HeldTerminal]) {
        func padded(_ text: String, _ width: Int) -> String { text + String(repeating: " ", count: max(1, width - text.count)) }
        var text = padded("ID", 8) + padded("DOES", 10) + padded("WINDOWS", 9) + "FOLDER\n"
        for one in all {
            text +=
                padded(one.id, 8) + padded(one.program.map { VisibleText.line($0) } ?? one.doing ?? "-", 10)
                + padded("\(one.attached)", 9)
            text += VisibleText.line(one.directory) + "\n"
        }
        HookStream.write(Array(text.utf8))
    }

    // MARK: - A window

    private func show(_ id: String) throws -> Int32 {
        let inbox = try LoopInbox<Int32>()
        let signals = BlockedSignals(BlockedSignals.ending + [SIGWINCH, SIGQUIT])
        guard BackgroundThread.start({ while true { inbox.put(signals.next().number) } }) else {
            throw HostError(.system, "the signals could not be passed on")
        }
        guard let connection = HeldTerminal.connect(id) else {
            return Self.refuse(nobody(id))
        }
        defer { close(connection) }
        Self.say("\(Self.leaveKey) leaves it running; \(kind.command) attach \(id) comes back to it.")
        guard let terminal = RawTerminal() else { return Self.refuse(kind.needsTerminal) }
        var window = TerminalWindow(connection, inbox)
        let end = window.run()
        terminal.restore()
        switch end {
        case .ended(let status): return status
        case .left:
            Self.say("it goes on. \(kind.command) attach \(id) comes back to it.")
            return 0
        case .lost:
            ProgramRequest.complain(kind.wasLost)
            return Self.gone
        }
    }

    // MARK: - Hold

    /// The body of the process that `start` runs: holds the terminal until the agent has ended. Prints the terminal's name on
    /// standard output, or an error.
    package func hold(_ arguments: [String], executable: String) -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        // The process gets its own session, so that signals of the person's terminal do not reach it.
        _ = setsid()
        let signals = BlockedSignals(BlockedSignals.ending)
        do {
            let command = kind == .claude ? try Self.claude(arguments, executable: executable) : arguments
            guard !command.isEmpty else {
                return Self.tell(
                    "with --settings of your own, first have Claude Code call heliograph: heliograph connect claude")
            }
            guard let random = HookRequest.randomCall() else { return Self.tell("the system gives no random bytes") }
            let id = String(random.prefix(6))
            let socket = try TerminalSocket(id: id, in: HeldTerminal.directory(HostPaths()))
            var holder = try TerminalHolder(name: id, command: command, socket: socket) { inbox in
                switch kind {
                case .claude: HeldSession(mode: Self.lawless(arguments), inbox: inbox)
                case .shell: try ShellSession(command, terminal: id, inbox: inbox)
                }
            }
            HookStream.write(Array("=\(id)\n".utf8))
            Self.leaveTerminal()
            return holder.run(signals)
        } catch {
            return Self.tell("\(error)")
        }
    }

    /// The command for `claude`, with our hooks added if the person's settings lack them. Empty if they cannot be added.
    private static func claude(_ arguments: [String], executable: String) throws -> [String] {
        guard !ClaudeConnect.isConnectedHere else { return ["claude"] + arguments }
        guard !arguments.contains(where: { $0 == "--settings" || $0.hasPrefix("--settings=") }) else { return [] }
        let hooks = try ClaudeSettings.hooks(executable: HookProgram.path(beside: executable))
        return ["claude"] + arguments + ["--settings", String(decoding: hooks, as: UTF8.self)]
    }

    private static func tell(_ sentence: String) -> Int32 {
        HookStream.write(Array("\(VisibleText.line(sentence))\n".utf8))
        return 1
    }

    /// Gives up the terminal, so that its window can be closed while the holder goes on.
    private static func leaveTerminal() {
        let nowhere = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { dup2(nowhere, descriptor) }
        close(nowhere)
    }

    /// The mode in which nobody is asked, if an argument chose it: its screen may come later than the first prompt.
    private static func lawless(_ arguments: [String]) -> String? {
        let words = arguments.joined(separator: " ")
        let isLawless =
            arguments.contains("--dangerously-skip-permissions") || words.contains("--permission-mode bypassPermissions")
            || words.contains("--permission-mode=bypassPermissions")
        return isLawless ? "bypassPermissions" : nil
    }

    // MARK: - Words

    private static func say(_ sentence: String) { HookStream.write(Array("heliograph: \(sentence)\n".utf8)) }

    private static func refuse(_ sentence: String) -> Int32 {
        ProgramRequest.complain(sentence)
        return usage
    }
}
