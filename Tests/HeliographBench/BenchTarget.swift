package import RelayAccess

/// The relay, or another server, that a run talks to.
package struct BenchTarget: Sendable {
    /// Hosts are dealt out to these in turn: the nodes of one database, or a relay alone.
    package var relays: [RelayAddress]
    /// Relays that clients connect to.
    package var clientRelays: [RelayAddress]
    /// One for each host of the plan.
    package var hostTokens: [String]
    /// All clients come with this one.
    package var clientToken: String
    /// The relay's process, if it is on this machine: its processor time and memory are in the result.
    package var process: Int32?
    package var dialect = Dialect.heliograph
    /// Authorities (PEM) that are trusted in addition to the system's.
    package var certificateAuthorityFile: String?

    /// `clientRelays`: nil where clients go where hosts do.
    package init(
        relays: [RelayAddress], clientRelays: [RelayAddress]? = nil, hostTokens: [String], clientToken: String,
        process: Int32? = nil
    ) {
        precondition(!relays.isEmpty && clientRelays?.isEmpty != true, "a run has somewhere to go")
        self.relays = relays
        self.clientRelays = clientRelays ?? relays
        self.hostTokens = hostTokens
        self.clientToken = clientToken
        self.process = process
    }
}
