/// Result of checking an audit log.
package struct AuditReport: Sendable {
    package var recordCount = 0
    /// The last record of each workspace, in the order in which the workspaces were read.
    package var heads: [AuditHead] = []
    /// The faults, as sentences that name the line; at most `faultsMax`.
    package private(set) var faults: [String] = []

    /// Limit for the faults: a log that was rewritten has one on every line, and a person needs only the first few.
    package static let faultsMax = 50

    package init() {}

    package mutating func fault(_ sentence: String) {
        if faults.count < Self.faultsMax { faults.append(sentence) }
    }
}
