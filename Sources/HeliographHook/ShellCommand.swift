// `environ` is read once, in the only thread there is.
@unsafe @preconcurrency import Glibc

/// A person's own command in `/bin/sh`; it gets our input, and its output is ours.
struct ShellCommand {
    private let process: pid_t

    /// Nil if it could not be started. When this returns, the command has read its input, or has ended.
    init?(running command: String, input: [UInt8]) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = Self.spawn(command, input: ends[0])
        close(ends[0])
        if process != nil { HookStream.write(input, to: ends[1]) }
        close(ends[1])
        guard let process else { return nil }
        self.process = process
    }

    /// Waits for the end of the command. Returns its status; a signal counts as in the shell.
    func wait() -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            if errno != EINTR { return 0 }
        }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }

    private static func spawn(_ command: String, input: Int32) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard unsafe posix_spawn_file_actions_init(&actions) == 0, unsafe posix_spawnattr_init(&attributes) == 0 else {
            return nil
        }
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        // We ignore SIGPIPE, but shell pipelines depend on it.
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        unsafe sigaddset(&defaults, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        // The three strings live until the child runs: posix_spawn returns only then, and they are freed after it.
        let words = ["sh", "-c", command]
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let result = unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, environ)
        return result == 0 ? process : nil
    }
}
