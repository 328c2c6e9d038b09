/// Connects an agent to this host by changing a file; the change is shown and confirmed first.
protocol ConnectPart {
    /// The agent's program, looked up on the PATH.
    var program: String { get }
    /// Help texts: the effect of connecting (`adds …`), examples of command lines, and a remark.
    var summary: String { get }
    var examples: [(line: String, does: String)] { get }
    var remark: String? { get }
    /// Options that it takes besides the place and the confirmation.
    var options: Set<ConnectOption> { get }

    func isConnected(_ place: ConnectPlace) -> Bool

    /// Returns the exit status: 0 done, nothing to do, or a dry run; 1 not confirmed. Every other obstacle is thrown, and then
    /// nothing was written.
    func connect(_ request: ConnectRequest) throws(ConnectError) -> Int32

    /// Removes exactly what `connect` added.
    func disconnect(_ request: ConnectRequest) throws(ConnectError) -> Int32
}
