// `environ` is read before there is a second thread.
@unsafe @preconcurrency import Glibc

/// A child whose output goes to a file; it may outlive us and our terminal.
enum DetachedProcess {
    /// `inNewSession`: signals of our terminal do not reach it.
    static func start(_ command: [String], log: String, inNewSession: Bool) throws(HostError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        guard unsafe posix_spawn_file_actions_init(&actions) == 0, unsafe posix_spawnattr_init(&attributes) == 0 else {
            throw HostError(.system, "no process can be started")
        }
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, File.mode)
        unsafe posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        // The child does not inherit the signals that we ignore or block.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        var ignored = none
        unsafe sigaddset(&ignored, SIGPIPE)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &ignored)
        let session = inNewSession ? Int32(0x80) : 0  // POSIX_SPAWN_SETSID, which is declared only with _GNU_SOURCE
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | session))
        // The strings live until the child runs: posix_spawn returns only then, and they are freed after it.
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, command[0], &actions, &attributes, &arguments, environ)
        guard failure == 0 else { throw HostError.notStarted(command[0], failure) }
        return process
    }
}
