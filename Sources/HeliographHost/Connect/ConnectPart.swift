/// Connects an agent to this host: by a change of a file, which is shown first and confirmed.
protocol ConnectPart {
    /// The program that is looked for on the PATH.
    var program: String { get }
    /// For the help: what connecting it does (`adds …`), what to type for what, and what one has to know besides.
    var summary: String { get }
    var examples: [(line: String, does: String)] { get }
    var remark: String? { get }
    /// Options that it takes in addition to the place, and whether to ask.
    var options: Set<ConnectOption> { get }

    func isConnected(_ place: ConnectPlace) -> Bool

    /// Exit status: 0 done, or nothing to do, or a dry run; 1 not confirmed. Whatever else is in the way is thrown, and then
    /// nothing was written.
    func connect(_ request: ConnectRequest) throws(ConnectError) -> Int32

    /// Takes away exactly what `connect` added.
    func disconnect(_ request: ConnectRequest) throws(ConnectError) -> Int32
}
