internal import Glibc
package import RelayAccess

/// A `heliograph serve` process that this program starts, with its own folder and a free port.
package final class OwnRelay {
    /// Milliseconds for the process to end.
    private static let patienceMilliseconds: Int32 = 60_000

    private let program: RelayProgram
    private let data: String
    package private(set) var process: Int32 = 0
    package private(set) var address: RelayAddress

    package init(_ program: RelayProgram, data: String) throws(BenchError) {
        self.program = program
        self.data = data
        (process, address) = try Self.start(program, data)
    }

    deinit { end(with: SIGTERM) }

    /// Kills the relay with SIGKILL and starts it again.
    package func killAndStart() throws(BenchError) {
        end(with: SIGKILL)
        (process, address) = try Self.start(program, data)
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

    /// One program with one token acts as thousands, so these limits are counted as usual but never reached.
    private static let limits =
        ["connections", "connections-per-token", "connections-per-workspace"].flatMap { ["--limits-\($0)", "1000000"] }
        + ["host", "client", "address", "session", "workspace"].flatMap {
            ["--limits-messages-per-second-per-\($0)", "10000000", "--limits-kilobytes-per-second-per-\($0)", "10000000"]
        } + ["--limits-sessions-per-host", "1000000", "--limits-sessions-per-workspace", "1000000"]

    /// Starts a relay. The first line of its output has its address.
    private static func start(_ program: RelayProgram, _ data: String) throws(BenchError) -> (Int32, RelayAddress) {
        let (process, output) = try program.start(
            ["serve", "--data", data, "--listen", "127.0.0.1:0", "--log-level", "error"] + limits)
        defer { close(output) }
        guard let line = RelayProgram.firstLine(output),
            let address = RelayAddress(String(line.split(separator: " ").last ?? ""))
        else {
            kill(process, SIGKILL)
            var status: Int32 = 0
            unsafe waitpid(process, &status, 0)
            throw BenchError(.unreachable, "the relay did not say where it listens")
        }
        return (process, address)
    }
}
