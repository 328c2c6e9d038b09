package import RelayProtocol

/// The port to whose addresses of pushes are, where cores of single workspaces share a store: none of them sees the devices of the others.
///
/// What apps tell comes with the records of a commit, see `PushRecord.addresses`. From any thread; takes as long as the store.
package protocol AddressStore: Sendable {
    /// Those that an app has told in another workspace since. One that no app has told is whoever's that asks.
    func moved(_ addresses: [HeldAddress]) throws(LogError) -> Set<HeldAddress>
}

/// An address as the device or card of a workspace has it.
package struct HeldAddress: Sendable, Hashable {
    package let workspace: WorkspaceID
    package let address: PushAddress

    package init(_ address: PushAddress, in workspace: WorkspaceID) {
        self.address = address
        self.workspace = workspace
    }
}
