internal import Glibc

/// Runs a program without a shell, with bytes on its standard input, until it ends or its time has run out.
package enum ChildProcess {
    package struct Result {
        package var exitCode: Int32
        package var output: [UInt8]
        package var errors: [UInt8]
    }

    /// `arguments[0]` is looked up in PATH. The input is small: it fits a pipe, so that neither side waits for the other. A process that
    /// has not closed its output within `seconds` is killed. `variables` are set in its environment, or removed from it if they are nil.
    package static func run(
        _ arguments: [String], input: [UInt8], outputBytesMax: Int, seconds: Int64 = secondsMax,
        variables: [String: String?] = [:]
    ) throws(HTTPError) -> Result {
        precondition(input.count <= 32 << 10, "more than a pipe holds would need both ends at once")
        let toChild = try Pipe()
        let fromChild = try Pipe()
        let errorsFromChild = try Pipe()
        let child = try spawn(
            arguments, environment(with: variables), toChild.readEnd, fromChild.writeEnd, errorsFromChild.writeEnd)
        toChild.closeReadEnd()
        fromChild.closeWriteEnd()
        errorsFromChild.closeWriteEnd()
        toChild.write(input)
        toChild.closeWriteEnd()
        let outputs = [fromChild, errorsFromChild]
        let limits = [outputBytesMax, errorsBytesMax]
        let isOver = read(outputs, limits, until: Deadline(seconds: seconds))
        if !isOver { kill(child, SIGKILL) }
        // A program that still writes gets an error and ends.
        for output in outputs { output.closeReadEnd() }
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard isOver else { throw HTTPError(.local, "\(arguments[0]) has not ended within \(seconds) seconds") }
        let exitCode = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
        return Result(exitCode: exitCode, output: fromChild.bytes, errors: errorsFromChild.bytes)
    }

    /// More than `curl` is given for itself.
    package static let secondsMax: Int64 = 60
    private static let errorsBytesMax = 4 << 10

    /// Reads the pipes in parallel, as a program that fills one pipe waits for its reader. Returns false if they were not all closed, or
    /// full, in time.
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
        _ arguments: [String], _ environment: [String], _ input: Int32, _ output: Int32, _ errors: Int32
    ) throws(HTTPError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        let texts: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer { unsafe (texts + variables).forEach { unsafe free($0) } }
        var child = pid_t()
        let failure = unsafe posix_spawnp(&child, arguments[0], &actions, nil, texts, variables)
        guard failure == 0 else {
            let advice = failure == ENOENT ? "it is not installed" : unsafe String(cString: strerror(failure))
            throw HTTPError(.local, "\(arguments[0]) cannot be run: \(advice)")
        }
        return child
    }

    /// Close-on-exec is set on both ends; `adddup2` clears it for the copies.
    private final class Pipe {
        private(set) var readEnd: Int32
        private(set) var writeEnd: Int32
        /// Bytes read so far.
        private(set) var bytes: [UInt8] = []
        private(set) var hasEnded = false

        init() throws(HTTPError) {
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { throw HTTPError(.local, "no pipe can be made") }
            // Glibc's pipe2 is not imported. A program that another thread starts just now may inherit these: it does no harm.
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

        /// A child that died has closed its end: that shows in its exit code, and must not kill this process.
        func write(_ bytes: [UInt8]) {
            let before = signal(SIGPIPE, SIG_IGN)
            defer { signal(SIGPIPE, before) }
            _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(writeEnd, $0.baseAddress, $0.count) }
        }

        /// Call when there is something.
        func readOnce() {
            var buffer = [UInt8](repeating: 0, count: 4 << 10)
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(readEnd, $0.baseAddress, $0.count) }
            if count > 0 { bytes += buffer.prefix(count) } else if count == 0 || errno != EINTR { hasEnded = true }
        }
    }
}
