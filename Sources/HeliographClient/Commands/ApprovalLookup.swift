internal import HeliographLink
internal import RelayProtocol

/// Finds the approval that a person means.
enum ApprovalLookup {
    /// Finds an approval by its id or a prefix. A pending one is preferred to resolved ones with the same prefix, unless `isBlind`:
    /// a caller that shows nothing must be exact.
    static func find(_ wanted: String, in view: ClientView, isBlind: Bool = false) throws(ClientError) -> Approval {
        if !isBlind, case .one(let approval) = ShortNames.match(wanted, among: view.pendingApprovals, by: \.id.rawValue) {
            return approval
        }
        switch ShortNames.match(wanted, among: view.approvals.values, by: \.id.rawValue) {
        case .one(let approval): return approval
        case .none:
            throw ClientError(
                .notFound, "there is no approval “\(wanted)”, pending or resolved in the last hour",
                advice: "heliograph approvals list")
        case .several(let approvals):
            throw ClientError(
                .usage, "“\(wanted)” matches \(approvals.count) approvals",
                advice: approvals.map(\.id.rawValue).sorted().prefix(5).joined(separator: "\n"))
        }
    }
}
