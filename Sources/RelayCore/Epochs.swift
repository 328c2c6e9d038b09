package import RelayProtocol

/// The current epoch of each workspace's log. See decision record 0066.
///
/// A position in one workspace is invalid in another: sessions of both may have the same identifiers, and a browser keeps its
/// positions when it changes to another workspace.
package struct Epochs: Sendable {
    private let ofLog: Epoch
    let first: WorkspaceID
    private let known: [WorkspaceID: Epoch]

    /// The first workspace has the log's own epoch, as it had when there was no other. `known`: epochs that the store had recorded
    /// when it was opened, if it records one for each workspace.
    package init(ofLog: Epoch, first: WorkspaceID, known: [WorkspaceID: Epoch] = [:]) {
        self.ofLog = ofLog
        self.first = first
        self.known = known
    }

    /// Constant until the log's epoch changes.
    package subscript(workspace: WorkspaceID) -> Epoch {
        known[workspace] ?? (workspace == first ? ofLog : derived(for: workspace))
    }

    /// FNV-1a: the result only has to differ between workspaces.
    private func derived(for workspace: WorkspaceID) -> Epoch {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in workspace.rawValue.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let end = "-" + String(hash, radix: 16)
        guard let epoch = Epoch(ofLog.rawValue.prefix(Epoch.bytesMax - end.utf8.count) + end) else {
            preconditionFailure("an epoch, a hyphen and digits are an identifier")
        }
        return epoch
    }
}
