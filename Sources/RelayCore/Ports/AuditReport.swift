/// Result of checking an audit log.
package struct AuditReport: Sendable {
    package var recordCount = 0
    /// The last record of each workspace, in the order in which they were met.
    package var heads: [AuditHead] = []
    /// The faults, as sentences that name the line; empty if there are none. At most `faultsMax`.
    package private(set) var faults: [String] = []

    /// A log that was rewritten has a fault on every line; a person needs the first few.
    package static let faultsMax = 50

    package init() {}

    package mutating func fault(_ sentence: String) {
        if faults.count < Self.faultsMax { faults.append(sentence) }
    }
}
