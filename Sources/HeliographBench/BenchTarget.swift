package import RelayAccess

/// The relay, or another server, that a run talks to.
package struct BenchTarget: Sendable {
    package var relay: RelayAddress
    /// One for each host of the plan.
    package var hostTokens: [String]
    /// All clients come with this one.
    package var clientToken: String
    /// The relay's process, where it is on this machine: its processor time and memory are in the result.
    package var process: Int32?
    package var dialect = Dialect.heliograph
    /// Authorities (PEM) that are trusted beside the system's.
    package var certificateAuthorityFile: String?

    package init(relay: RelayAddress, hostTokens: [String], clientToken: String, process: Int32? = nil) {
        self.relay = relay
        self.hostTokens = hostTokens
        self.clientToken = clientToken
        self.process = process
    }
}
