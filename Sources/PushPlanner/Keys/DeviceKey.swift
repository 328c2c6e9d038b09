package import RelayProtocol

/// A device by name, within its workspace.
package struct DeviceKey: Hashable, Comparable, Sendable {
    package let workspace: WorkspaceID
    package let device: DeviceID

    package init(workspace: WorkspaceID, device: DeviceID) {
        self.workspace = workspace
        self.device = device
    }

    package static func < (left: DeviceKey, right: DeviceKey) -> Bool {
        (left.workspace.rawValue, left.device.rawValue) < (right.workspace.rawValue, right.device.rawValue)
    }
}
