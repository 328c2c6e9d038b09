package import RelayProtocol

/// The port to the record of who decided what, and who was let in. A store adds to it by itself, in the transaction of what is recorded;
/// nothing ever changes or removes a line.
///
/// From any thread, while everything else goes on; takes as long as there are lines.
package protocol AuditLog: Sendable {
    /// Calls `body` with each line, without its end, in the order in which they were written, one workspace after the other, until it says
    /// false; nil for every workspace.
    func export(of workspace: WorkspaceID?, _ body: ([UInt8]) -> Bool) throws(LogError)

    /// Checks the chain of every workspace, that every stored decision has its record, that each of `heads` (hashes) is among the records
    /// and, if a file is named, that its lines are the first lines of what is stored here.
    func verify(against file: String?, heads: [String]) throws(LogError) -> AuditReport
}
