internal import Glibc

/// The program `heliograph`, called as from a terminal.
package struct RelayProgram: Sendable {
    /// Milliseconds until it has printed its first line, even with much history.
    static let patienceMilliseconds: Int32 = 60_000
    private static let lineBytesMax = 4 << 10

    private let path: String

    /// - Throws: if the program cannot be executed.
    package init(path: String) throws(BenchError) {
        guard unsafe access(path, X_OK) == 0 else {
            throw BenchError(.system, "\(path), which makes the tokens of a run, is not there: name a relay with --relay")
        }
        self.path = path
    }

    /// Starts the program. The caller owns the process, and the descriptor that reads its standard output.
    func start(_ arguments: [String]) throws(BenchError) -> (process: Int32, output: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw BenchError(.system, "no pipe: \(String(errno: errno))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var texts: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe texts.append(nil)
        defer { unsafe texts.forEach { unsafe free($0) } }
        var process = pid_t()
        let failure = unsafe posix_spawn(&process, path, &actions, nil, texts, environ)
        close(ends[1])
        guard failure == 0 else {
            close(ends[0])
            throw BenchError(.system, "\(path): \(String(errno: failure))")
        }
        return (process, ends[0])
    }

    /// Runs the program to its end, and returns the first line that it prints. It reports a failure itself, on the standard error
    /// that it shares.
    func line(of arguments: [String]) throws(BenchError) -> String {
        let (process, output) = try start(arguments)
        defer { close(output) }
        let line = Self.firstLine(output)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0, let line else {
            throw BenchError(.system, "heliograph \(arguments.prefix(2).joined(separator: " ")) failed")
        }
        return line
    }

    static func firstLine(_ descriptor: Int32) -> String? {
        var line: [UInt8] = []
        while line.count < lineBytesMax {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, patienceMilliseconds) > 0 else { return nil }
            var byte: UInt8 = 0
            guard unsafe read(descriptor, &byte, 1) == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}
