package import RelayProtocol

/// One stage that an approval has reached.
package struct ApprovalStep: Sendable, Equatable {
    /// The event that brought it there.
    package let seq: Int64
    package let stage: ApprovalStage
    /// Milliseconds since 1970.
    package let at: Int64

    package init(seq: Int64, stage: ApprovalStage, at: Int64) {
        self.seq = seq
        self.stage = stage
        self.at = at
    }
}
