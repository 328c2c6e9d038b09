import RelayProtocol

/// The devices of every workspace.
struct DeviceBook {
    private var devices: [DeviceKey: RegisteredDevice] = [:]
    private var names: [WorkspaceID: Set<DeviceID>] = [:]

    var isEmpty: Bool { devices.isEmpty }
    var count: Int { devices.count }

    /// Changes a device in place; it can be neither added nor removed here. See `add` and `remove`.
    subscript(key: DeviceKey) -> RegisteredDevice? {
        get { devices[key] }
        _modify {
            yield &devices[key]
            assert(
                (devices[key] != nil) == (names[key.workspace]?.contains(key.device) == true), "a device comes and goes by name"
            )
        }
    }

    mutating func add(_ device: RegisteredDevice, in workspace: WorkspaceID) {
        devices[DeviceKey(workspace: workspace, device: device.device.id)] = device
        names[workspace, default: []].insert(device.device.id)
    }

    mutating func remove(_ key: DeviceKey) {
        devices[key] = nil
        names[key.workspace]?.remove(key.device)
        if names[key.workspace]?.isEmpty == true { names[key.workspace] = nil }
    }

    func count(in workspace: WorkspaceID) -> Int { names[workspace]?.count ?? 0 }

    func count(of client: ClientID, in workspace: WorkspaceID) -> Int {
        keys(in: workspace).count { devices[$0]?.client.id == client }
    }

    /// The workspace's devices, sorted so that every run has the same order.
    func keys(in workspace: WorkspaceID) -> [DeviceKey] {
        (names[workspace] ?? []).map { DeviceKey(workspace: workspace, device: $0) }.sorted()
    }

    var keys: [DeviceKey] { devices.keys.sorted() }

    var isWithinBounds: Bool { names.values.allSatisfy { $0.count <= PlannerLimits.devicesMax } }

    mutating func update(_ change: (inout RegisteredDevice) -> Void) {
        for key in devices.keys { change(&devices[key]!) }
    }
}
