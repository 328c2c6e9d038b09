internal import Glibc

/// Runs a program without a shell, with bytes on its standard input, until it ends.
package enum ChildProcess {
    package struct Result {
        package var exitCode: Int32
        package var output: [UInt8]
        package var errors: [UInt8]
    }

    /// `arguments[0]` is looked up in PATH. The input is small: it fits a pipe, so that nobody waits for anybody.
    package static func run(_ arguments: [String], input: [UInt8], outputBytesMax: Int) throws(HTTPFault) -> Result {
        precondition(input.count <= 32 << 10, "more than a pipe holds would need both ends at once")
        let toChild = try Pipe()
        let fromChild = try Pipe()
        let errorsFromChild = try Pipe()
        let child = try spawn(arguments, toChild.readEnd, fromChild.writeEnd, errorsFromChild.writeEnd)
        toChild.closeReadEnd()
        fromChild.closeWriteEnd()
        errorsFromChild.closeWriteEnd()
        toChild.write(input)
        toChild.closeWriteEnd()
        let output = fromChild.readAll(bytesMax: outputBytesMax)
        // Closed before the rest is read: a program that still writes gets an error and ends.
        fromChild.closeReadEnd()
        let errors = errorsFromChild.readAll(bytesMax: 4 << 10)
        errorsFromChild.closeReadEnd()
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        let exitCode = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
        return Result(exitCode: exitCode, output: output, errors: errors)
    }

    private static func spawn(
        _ arguments: [String], _ input: Int32, _ output: Int32, _ errors: Int32
    ) throws(HTTPFault) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        var texts: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe texts.append(nil)
        defer { unsafe texts.forEach { unsafe free($0) } }
        var child = pid_t()
        let failure = unsafe posix_spawnp(&child, arguments[0], &actions, nil, texts, environ)
        guard failure == 0 else {
            let advice = failure == ENOENT ? "it is not installed" : unsafe String(cString: strerror(failure))
            throw HTTPFault(.local, "\(arguments[0]) cannot be run: \(advice)")
        }
        return child
    }

    /// Both ends close on exec; `adddup2` clears that for the copies.
    private final class Pipe {
        private(set) var readEnd: Int32
        private(set) var writeEnd: Int32

        init() throws(HTTPFault) {
            var ends: [Int32] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else { throw HTTPFault(.local, "no pipe can be made") }
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

        func readAll(bytesMax: Int) -> [UInt8] {
            var result: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4 << 10)
            while result.count < bytesMax {
                let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(readEnd, $0.baseAddress, $0.count) }
                if count > 0 {
                    result += buffer.prefix(count)
                } else if count == 0 || errno != EINTR {
                    break
                }
            }
            return result
        }
    }
}
