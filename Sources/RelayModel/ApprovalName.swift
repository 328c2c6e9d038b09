package import RelayProtocol

/// An approval's name in the log.
package struct ApprovalName: Hashable, Sendable {
    package let key: SessionKey
    package let approval: ApprovalID

    package init(_ key: SessionKey, _ approval: ApprovalID) {
        self.key = key
        self.approval = approval
    }
}
