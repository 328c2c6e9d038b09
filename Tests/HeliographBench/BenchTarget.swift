package import RelayAccess

/// The relay, or another server, that a run talks to.
package struct BenchTarget: Sendable {
    /// Relays to which hosts are assigned in turn: the nodes of one database, or a single relay.
    package var relays: [RelayAddress]
    /// Relays that clients connect to.
    package var clientRelays: [RelayAddress]
    /// A token for each host of the plan.
    package var hostTokens: [String]
    /// The token of all clients.
    package var clientToken: String
    /// The relay's process, if it is on this machine: its processor time and memory are in the result.
    package var process: Int32?
    package var dialect = Dialect.heliograph
    /// Authorities (PEM) that are trusted in addition to the system's.
    package var certificateAuthorityFile: String?

    /// `clientRelays`: nil if clients use the hosts' relays.
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
