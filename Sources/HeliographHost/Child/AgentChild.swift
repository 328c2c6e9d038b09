// `environ` is read before there is a second thread.
@unsafe @preconcurrency import Glibc

/// The agent as a child process with our pipes as its input and output.
struct AgentChild: Sendable {
    let process: pid_t
    /// Bytes written here are read by the agent.
    let input: Int32
    let output: Int32
    /// The pipe of the child's standard error, if it has one.
    let errors: Int32?

    /// Destination of the child's standard error.
    enum Errors { case ours, withOutput, apart }

    /// `isApart`: the child gets no signals that a terminal sends to its process group. `environment`: variables added to ours.
    init(_ command: [String], isApart: Bool = false, environment: [String] = [], errors: Errors = .ours) throws {
        var toChild: [Int32] = [-1, -1]
        var fromChild: [Int32] = [-1, -1]
        guard unsafe pipe(&toChild) == 0, unsafe pipe(&fromChild) == 0 else {
            throw HostError(.system, "no pipes for the agent could be made")
        }
        var complaints: [Int32] = [-1, -1]
        if errors == .apart {
            guard unsafe pipe(&complaints) == 0 else { throw HostError(.system, "no pipes for the agent could be made") }
        }
        for end in toChild + fromChild + complaints where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var process: pid_t = 0
        let failure = Self.spawn(
            command, isApart: isApart, environment: environment,
            Ends(
                input: toChild[0], output: fromChild[1],
                errors: errors == .apart ? complaints[1] : errors == .withOutput ? fromChild[1] : nil), &process)
        close(toChild[0])
        close(fromChild[1])
        if complaints[1] >= 0 { close(complaints[1]) }
        guard failure == 0 else {
            close(toChild[1])
            close(fromChild[0])
            if complaints[0] >= 0 { close(complaints[0]) }
            throw HostError.notStarted(command.first ?? "", failure)
        }
        self.process = process
        input = toChild[1]
        output = fromChild[0]
        self.errors = complaints[0] >= 0 ? complaints[0] : nil
    }

    /// The child's ends of the pipes.
    private struct Ends {
        var input: Int32
        var output: Int32
        var errors: Int32?
    }

    private static func spawn(
        _ command: [String], isApart: Bool, environment: [String], _ ends: Ends, _ process: inout pid_t
    ) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard unsafe posix_spawn_file_actions_init(&actions) == 0, unsafe posix_spawnattr_init(&attributes) == 0 else {
            return ENOMEM
        }
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends.input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, ends.output, STDOUT_FILENO)
        if let errors = ends.errors { unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
        // The agent does not inherit the signals that we ignore or block.
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        unsafe posix_spawnattr_setsigmask(&attributes, &defaults)
        unsafe sigaddset(&defaults, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        let apart = isApart ? POSIX_SPAWN_SETPGROUP : 0
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | apart))
        // The strings live until the child runs: posix_spawnp returns only then, and they are freed after it.
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        // The strings of `environ` belong to the system and stay. If a name occurs twice, programs use one or the other.
        let names = environment.map { String($0.prefix { $0 != "=" }) + "=" }
        let added: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup($0) }
        defer { unsafe added.forEach { unsafe free($0) } }
        var variables = unsafe added
        var place = 0
        while let variable = unsafe environ[place] {
            place += 1
            let text = unsafe String(cString: variable)
            if !names.contains(where: text.hasPrefix) { unsafe variables.append(variable) }
        }
        unsafe variables.append(nil)
        return unsafe posix_spawnp(&process, command[0], &actions, &attributes, &arguments, &variables)
    }

    /// Waits for the end of the process, on this thread.
    func waitForEnd() -> AgentEnd { Self.end(of: process) }

    static func end(of process: pid_t) -> AgentEnd {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            if errno != EINTR { return AgentEnd(exit: 1, signal: nil) }
        }
        let signal = status & 0x7F
        return signal == 0 ? AgentEnd(exit: status >> 8 & 0xFF, signal: nil) : AgentEnd(exit: 128 + signal, signal: signal)
    }
}

/// The exit of the agent's process; a signal counts as in the shell.
struct AgentEnd: Sendable {
    var exit: Int32
    var signal: Int32?

    var reason: String? {
        if let signal { return "ended by signal \(signal)" }
        return exit == 0 ? nil : "exit status \(exit)"
    }
}
