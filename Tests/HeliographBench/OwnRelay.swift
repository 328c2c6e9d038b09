internal import Glibc
package import RelayAccess

/// `heliograph serve` as a process of this one's own, on a folder of its own and a free port.
package final class OwnRelay {
    /// Milliseconds until it listens, also with much history, and until it is gone.
    private static let patienceMilliseconds: Int32 = 60_000
    private static let lineBytesMax = 4 << 10

    private let executable: String
    private let data: String
    package private(set) var process: Int32 = 0
    package private(set) var address: RelayAddress

    package init(executable: String, data: String) throws(BenchError) {
        self.executable = executable
        self.data = data
        (process, address) = try Self.start(executable, data)
    }

    deinit { end(with: SIGTERM) }

    /// Kills the relay with SIGKILL and starts it again.
    package func killAndStart() throws(BenchError) {
        end(with: SIGKILL)
        (process, address) = try Self.start(executable, data)
    }

    package func stop() { end(with: SIGTERM) }

    private func end(with signal: Int32) {
        guard process > 0 else { return }
        kill(process, signal)
        var status: Int32 = 0
        var left = Self.patienceMilliseconds
        while unsafe waitpid(process, &status, WNOHANG) == 0 {
            usleep(10_000)
            left -= 10
            if left <= 0 { kill(process, SIGKILL) }
        }
        process = 0
    }

    /// One program with one token does what thousands do elsewhere. Counted as ever, and never reached.
    private static let limits =
        ["connections", "connections-per-token", "connections-per-workspace"].flatMap { ["--limits-\($0)", "1000000"] }
        + ["host", "client", "address", "session", "workspace"].flatMap {
            ["--limits-messages-per-second-per-\($0)", "10000000", "--limits-kilobytes-per-second-per-\($0)", "10000000"]
        } + ["--limits-sessions-per-host", "1000000", "--limits-sessions-per-workspace", "1000000"]

    /// Starts a relay, whose first line of output gives its address.
    private static func start(_ executable: String, _ data: String) throws(BenchError) -> (Int32, RelayAddress) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw BenchError(.system, "no pipe: \(String(errno: errno))") }
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        let arguments = [executable, "serve", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "error"] + limits
        var texts: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe texts.append(nil)
        defer { unsafe texts.forEach { unsafe free($0) } }
        var process = pid_t()
        let failure = unsafe posix_spawn(&process, executable, &actions, nil, texts, environ)
        close(ends[1])
        guard failure == 0 else { throw BenchError(.system, "\(executable): \(String(errno: failure))") }
        guard let line = firstLine(ends[0]), let address = RelayAddress(String(line.split(separator: " ").last ?? "")) else {
            kill(process, SIGKILL)
            var status: Int32 = 0
            unsafe waitpid(process, &status, 0)
            throw BenchError(.unreachable, "the relay did not say where it listens")
        }
        return (process, address)
    }

    private static func firstLine(_ descriptor: Int32) -> String? {
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
