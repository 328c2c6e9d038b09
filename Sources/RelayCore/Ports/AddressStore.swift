package import RelayProtocol

/// The port to the ownership of push addresses, for cores of single workspaces that share a store: none of them sees the devices of
/// the others.
///
/// Ownership is reported with the records of a commit, see `PushRecord.addresses`. Called on any thread; blocks as long as the
/// store takes.
package protocol AddressStore: Sendable {
    /// Those of the addresses that an app has since reported in another workspace. An address that no app has reported counts as
    /// the caller's.
    func moved(_ addresses: [HeldAddress]) throws(LogError) -> Set<HeldAddress>
}

/// A push address together with the workspace whose device or card has it.
package struct HeldAddress: Sendable, Hashable {
    package let workspace: WorkspaceID
    package let address: PushAddress

    package init(_ address: PushAddress, in workspace: WorkspaceID) {
        self.address = address
        self.workspace = workspace
    }
}
