/// Result of checking the signatures of an audit log.
package struct SignatureReport: Sendable {
    /// Decisions and commands with a valid signature of a listed device.
    package var provenCount = 0
    /// Those among the proven decisions that a passkey has confirmed.
    package var passkeyCount = 0
    /// Decisions and commands that need no signature: those of hosts that require none, and those that never give an agent more
    /// freedom.
    package var unsignedCount = 0
    /// Decisions on content sealed by a host of an earlier version, with a signature of a listed device that cannot be checked.
    package var sealedCount = 0
    /// Decisions and commands without a valid signature that their host has refused.
    package var refusedCount = 0
    /// Decisions and commands without a valid signature, as sentences that name the line. At most `AuditReport.faultsMax`.
    package private(set) var faults: [String] = []
    package private(set) var faultCount = 0

    package init() {}

    package mutating func fault(_ sentence: String) {
        faultCount += 1
        if faults.count < AuditReport.faultsMax { faults.append(sentence) }
    }
}
