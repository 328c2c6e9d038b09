package import RelayAccess
internal import RelayProtocol
internal import Synchronization

/// The tokens of a run on a relay of this machine, made and revoked by the relay's program.
package final class RunTokens: Sendable {
    private let program: RelayProgram
    private let data: String
    private struct Made {
        var ids: [String] = []
        var isOver = false
    }

    private let made = Mutex(Made())

    package init(_ program: RelayProgram, data: String) {
        (self.program, self.data) = (program, data)
    }

    /// The relay at `address`, with a token for all clients and one for each host.
    package func target(_ address: RelayAddress, hosts: Int, process: Int32?) throws(BenchError) -> BenchTarget {
        let client = try token("client", named: "bench")
        var tokens: [String] = []
        for number in 1...hosts { tokens.append(try token("host", named: "bench host \(number)")) }
        return BenchTarget(relays: [address], hostTokens: tokens, clientToken: client, process: process)
    }

    /// Revokes the tokens. May be called from another thread: waits for the token that is being made, and prevents further ones.
    package func revoke() {
        made.withLock { made in
            made.isOver = true
            // The program reports a failure itself; the other tokens are still tried.
            for id in made.ids { _ = try? program.line(of: ["token", "revoke", id, "--data", data]) }
            made.ids = []
        }
    }

    private func token(_ role: String, named name: String) throws(BenchError) -> String {
        try made.withLock { made throws(BenchError) in
            guard !made.isOver else { throw BenchError(.system, "the run is over") }
            let line = try program.line(of: ["token", "create", "--role", role, "--name", name, "--json", "--data", data])
            do throws(WireError) {
                let fields = try JSONDocument(parsing: line).root.object()
                made.ids.append(try fields.string("id", bytesMax: WireLimits.nameBytesMax))
                return try fields.string("token", bytesMax: WireLimits.secretBytesMax)
            } catch { throw BenchError(.system, "heliograph token create printed no token: \(error)") }
        }
    }
}
