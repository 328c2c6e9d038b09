internal import Glibc
internal import Synchronization

/// Runs a program without a shell, with bytes on its standard input, until it ends or a time limit is reached.
package enum ChildProcess {
    package struct Result {
        package var exitCode: Int32
        package var output: [UInt8]
        package var errors: [UInt8]
    }

    /// Runs `arguments[0]`, found by PATH. The input must fit a pipe, so that neither side waits for the other. A process that has
    /// not closed its output within `seconds` is killed. `variables` are set in its environment; nil removes one.
    package static func run(
        _ arguments: [String], input: [UInt8], outputBytesMax: Int, seconds: Int64 = secondsMax,
        variables: [String: String?] = [:]
    ) throws(HTTPError) -> Result {
        precondition(input.count <= 32 << 10, "more than a pipe holds would need both ends at once")
        let (child, fromChild, errorsFromChild) = try start(
            arguments, environment(with: variables), input: input, isApart: false)
        let outputs = [fromChild, errorsFromChild]
        let limits = [outputBytesMax, errorsBytesMax]
        let isOver = read(outputs, limits, until: Deadline(seconds: seconds))
        if !isOver { kill(child, SIGKILL) }
        // A program that still writes gets an error and ends.
        for output in outputs { output.closeReadEnd() }
        let exitCode = exitCode(of: child)
        guard isOver else { throw HTTPError(.local, "\(arguments[0]) has not ended within \(seconds) seconds") }
        return Result(exitCode: exitCode, output: fromChild.bytes, errors: errorsFromChild.bytes)
    }

    private static func exitCode(of child: pid_t) -> Int32 {
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    /// Starts the program, with the input in its pipe already. Returns the pipes for its output and its errors.
    ///
    /// One at a time: a program that another thread starts between `pipe` and `fcntl` would inherit the pipe, and this one's input
    /// would not end before that program does.
    private static func start(
        _ arguments: [String], _ environment: [String], input: [UInt8], isApart: Bool
    ) throws(HTTPError) -> (child: pid_t, output: Pipe, errors: Pipe) {
        try starting.withLock { _ throws(HTTPError) in
            let (toChild, fromChild, errorsFromChild) = (try Pipe(), try Pipe(), try Pipe())
            // Written before the program starts: without a reader that could exit, this never raises SIGPIPE.
            try toChild.write(input)
            let child = try spawn(
                arguments, environment, toChild.readEnd, fromChild.writeEnd, errorsFromChild.writeEnd, isApart: isApart)
            for pipe in [toChild, fromChild, errorsFromChild] { pipe.closeWriteEnd() }
            toChild.closeReadEnd()
            return (child, fromChild, errorsFromChild)
        }
    }

    private static let starting = Mutex(())

    // MARK: - Programs of the operator's

    /// Result of a program that ran in its own process group.
    package enum End: Sendable, Equatable {
        /// Exited. The status is 128 plus the signal's number if a signal ended it. `words`: the end of its error output, or of its
        /// output if there is no error output.
        case exited(Int32, words: [UInt8])
        /// Killed after the time limit, together with everything that it had started.
        case timedOut
        /// `Stop` was used before it ended.
        case stopped
    }

    /// Ends runs, from any thread; runs that begin later end at once.
    package final class Stop: Sendable {
        private let ends: Mutex<Pipe>
        let descriptor: Int32

        package init() throws(HTTPError) {
            let pipe = try Pipe()
            descriptor = pipe.readEnd
            ends = Mutex(pipe)
        }

        package func stop() { ends.withLock { $0.closeWriteEnd() } }
    }

    /// Runs a program with exactly this environment. It has ended when both outputs are closed and its process has exited;
    /// processes that it left in its group are killed.
    package static func run(
        apart arguments: [String], environment: [String: String], input: [UInt8], seconds: Int64, until stop: Stop
    ) throws(HTTPError) -> End {
        precondition(input.count <= 32 << 10, "more than a pipe holds would need both ends at once")
        let deadline = Deadline(seconds: seconds)
        let (child, output, errors) = try start(
            arguments, environment.map { "\($0)=\($1)" }.sorted(), input: input, isApart: true)
        let cut = read([output, errors], until: deadline, stop)
        var isGone = hasEnded(child)
        while cut == nil, !isGone, deadline.millisecondsLeft > 0 {
            _ = poll(nil, 0, exitLookMilliseconds)
            isGone = hasEnded(child)
        }
        kill(-child, SIGKILL)
        let code = exitCode(of: child)
        if isGone { return .exited(code, words: errors.bytes.isEmpty ? output.bytes : errors.bytes) }
        return cut ?? .timedOut
    }

    /// True if the process has exited. It is not reaped yet, so that its group's number is not reused before the group is killed.
    private static func hasEnded(_ child: pid_t) -> Bool {
        var facts = unsafe siginfo_t()
        return unsafe waitid(P_PID, id_t(child), &facts, WEXITED | WNOHANG | WNOWAIT) == 0 && facts.si_signo != 0
    }

    /// Reads until both pipes are closed, and returns nil; else the reason why it stopped.
    private static func read(_ pipes: [Pipe], until deadline: Deadline, _ stop: Stop) -> End? {
        while true {
            let open = pipes.filter { !$0.hasEnded }
            guard !open.isEmpty else { return nil }
            let left = deadline.millisecondsLeft
            guard left > 0 else { return .timedOut }
            var polled = (open.map(\.readEnd) + [stop.descriptor]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&polled, nfds_t(polled.count), left) >= 0 || errno == EINTR else { return .timedOut }
            if polled[open.count].revents != 0 { return .stopped }
            for (pipe, state) in zip(open, polled) where state.revents != 0 { pipe.readOnce(keeping: errorsBytesMax) }
        }
    }

    /// Interval at which a program is checked that has closed both outputs and still runs. Most exit with their last output.
    private static let exitLookMilliseconds: Int32 = 10

    /// Longest run: more than `curl` is given for itself.
    package static let secondsMax: Int64 = 60
    private static let errorsBytesMax = 4 << 10

    /// Reads the pipes in parallel, as a program that fills one pipe waits for its reader. Returns false if they were not all
    /// closed, or full, in time.
    private static func read(_ pipes: [Pipe], _ limits: [Int], until deadline: Deadline) -> Bool {
        while true {
            let open = pipes.indices.filter { !pipes[$0].hasEnded && pipes[$0].bytes.count < limits[$0] }
            guard !open.isEmpty else { return true }
            let left = deadline.millisecondsLeft
            guard left > 0 else { return false }
            var polled = open.map { pollfd(fd: pipes[$0].readEnd, events: Int16(POLLIN), revents: 0) }
            guard unsafe poll(&polled, nfds_t(polled.count), left) >= 0 || errno == EINTR else { return false }
            for (index, state) in zip(open, polled) where state.revents != 0 { pipes[index].readOnce() }
        }
    }

    private static func environment(with variables: [String: String?]) -> [String] {
        var entries: [String] = []
        var next = unsafe environ
        while let text = unsafe next.pointee {
            let entry = unsafe String(cString: text)
            if !variables.keys.contains(String(entry.prefix { $0 != "=" })) { entries.append(entry) }
            unsafe next += 1
        }
        return entries + variables.compactMap { variable, value in value.map { "\(variable)=\($0)" } }
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String], _ input: Int32, _ output: Int32, _ errors: Int32,
        isApart: Bool
    ) throws(HTTPError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        if isApart {
            // The program inherits neither blocked or ignored signals nor our process group: in its own group, everything that it
            // starts can be killed.
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe posix_spawnattr_setsigmask(&attributes, &signals)
            unsafe sigaddset(&signals, SIGPIPE)
            unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
            unsafe posix_spawnattr_setflags(
                &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        }
        let texts: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (texts + variables).forEach { unsafe free($0) } }
        var child = pid_t()
        let failure = unsafe posix_spawnp(&child, arguments[0], &actions, &attributes, texts, variables)
        guard failure == 0 else {
            let advice = failure == ENOENT ? "it is not installed" : unsafe String(cString: strerror(failure))
            throw HTTPError(.local, "\(arguments[0]) cannot be run: \(advice)")
        }
        return child
    }

    /// Close-on-exec is set on both ends; `adddup2` clears it for the program's copies.
    private final class Pipe {
        private(set) var readEnd: Int32
        private(set) var writeEnd: Int32
        /// Bytes read so far.
        private(set) var bytes: [UInt8] = []
        private(set) var hasEnded = false

        init() throws(HTTPError) {
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { throw HTTPError(.local, "no pipe can be made") }
            // Glibc's pipe2 is not imported. A program that another thread starts at this moment may inherit these: that is
            // harmless.
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            readEnd = ends[0]
            writeEnd = ends[1]
        }

        deinit {
            closeReadEnd()
            closeWriteEnd()
        }

        func closeReadEnd() {
            if readEnd >= 0 { close(readEnd) }
            readEnd = -1
        }

        func closeWriteEnd() {
            if writeEnd >= 0 { close(writeEnd) }
            writeEnd = -1
        }

        /// Writes without waiting: everything fits, unless the system gives this user only small pipes.
        func write(_ bytes: [UInt8]) throws(HTTPError) {
            _ = fcntl(writeEnd, F_SETFL, O_NONBLOCK)
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(writeEnd, $0.baseAddress, $0.count) }
            guard count == bytes.count else { throw HTTPError(.local, "its input does not fit a pipe") }
        }

        /// Capacity of a pipe.
        private static let readBytes = 64 << 10

        /// Reads once; call it when there is data. Keeps the last `countMax` bytes.
        func readOnce(keeping countMax: Int = .max) {
            var buffer = [UInt8](repeating: 0, count: Self.readBytes)
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(readEnd, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes += buffer[max(0, count - countMax)..<count]
                bytes.removeFirst(max(0, bytes.count - countMax))
            } else if count == 0 || errno != EINTR {
                hasEnded = true
            }
        }
    }
}
