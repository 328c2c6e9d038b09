/// Result of checking the signatures of an audit log.
package struct SignatureReport: Sendable {
    /// Decisions and commands that a device of the list has signed.
    package var provenCount = 0
    /// The decisions among them that a passkey has confirmed.
    package var passkeyCount = 0
    /// Those that need no signature: of hosts that take everything, and what never gives an agent more freedom.
    package var unsignedCount = 0
    /// Decisions on what a host of an earlier version had sealed, with a signature of a device of the list that is not checked.
    package var sealedCount = 0
    /// Those without a good signature that their host has refused.
    package var refusedCount = 0
    /// Those without a good signature, as sentences that name the line. At most `AuditReport.faultsMax`.
    package private(set) var faults: [String] = []
    package private(set) var faultCount = 0

    package init() {}

    package mutating func fault(_ sentence: String) {
        faultCount += 1
        if faults.count < AuditReport.faultsMax { faults.append(sentence) }
    }
}
