package import RelayProtocol

/// The port to the record of who decided what, and who was paired. A store adds to it by itself, in the transaction of what is
/// recorded; no line is ever changed or removed.
///
/// Called on any thread, concurrently with everything else; takes time in proportion to the number of lines.
package protocol AuditLog: Sendable {
    /// Calls `body` with each line, without its line break, in the order in which they were written, one workspace after the other,
    /// until it returns false. `workspace`: nil for all.
    func export(of workspace: WorkspaceID?, _ body: ([UInt8]) -> Bool) throws(LogError)

    /// Checks the chain of every workspace; that every stored decision has its record; that each of `heads` (hashes) is among the
    /// records; and, if a file is named, that its lines are the first lines stored here.
    func verify(against file: String?, heads: [String]) throws(LogError) -> AuditReport
}
