import RelayProtocol

/// What the planner of pushes starts from besides its records.
package struct PushSettings: Sendable {
    package var profiles: ProfileSet
    /// Apps whose cards listen to a broadcast channel where the system can (iOS 18): by bundle.
    package var broadcastBundles: Set<String> = []
    /// The minute of the day, 0 to 1,439, at this moment (milliseconds since 1970) in this time zone of the tz database; nil where
    /// there is no such zone. The core knows no time zones.
    package var localMinute: @Sendable (_ timeZone: String, _ at: Int64) -> Int64?

    package init(
        profiles: ProfileSet = ProfileSet(), broadcastBundles: Set<String> = [],
        localMinute: @escaping @Sendable (String, Int64) -> Int64? = { _, _ in nil }
    ) {
        self.profiles = profiles
        self.broadcastBundles = broadcastBundles
        self.localMinute = localMinute
    }
}

/// What the planner knows; see `Relay+Cards.swift` and `Relay+Alerts.swift` for what it does with it.
struct PushState {
    var devices: [DeviceKey: RegisteredDevice] = [:]
    var devicesOf: [WorkspaceID: Set<DeviceID>] = [:]
    var cards: [CardKey: Card] = [:]
    /// By name. Every one that APNs told us of and has not deleted.
    var channels: [String: Channel] = [:]
    /// Every push that is on disk or on its way there.
    var pushes: [PushID: PlannedPush] = [:]
    /// The pushes of each device, oldest first.
    var pushesOf: [DeviceKey: [PushID]] = [:]
    var lastPush: Int64 = 0
    /// Numbers alerts that are owed.
    var lastAlert: Int64 = 0
    var lastPushID: PushID { PushID(rawValue: lastPush) }
    /// Apps of which Apple said that they may not broadcast; forgotten with this life of the relay.
    var bundlesWithoutBroadcast: Set<String> = []
    /// Connections in the foreground, by device and by workspace.
    var presentPeers: [DeviceKey: Set<PeerID>] = [:]
    var foregroundPeers: [WorkspaceID: Set<PeerID>] = [:]
    var watchers: [WorkspaceID: Set<PeerID>] = [:]
    /// Records that the disk has not taken, to be tried with the next batch.
    var owed: [PushRecord] = []
    var owedOrders: [PushOrder] = []
    /// What the wall clock is ahead of the steady one, in milliseconds, as the planner's times have it.
    var clockOffset: Int64 = 0
    /// Records that do not decode, by name: left out. An app registers again at its next launch.
    var damaged: [String] = []

    init(_ records: [PushRecord]) {
        for record in records {
            guard let bytes = record.bytes else { continue }
            do throws(WireError) {
                switch record.kind {
                case .device:
                    let device = try RegisteredDevice(stored: bytes)
                    let key = DeviceKey(workspace: record.workspace, device: device.device.id)
                    devices[key] = device
                    devicesOf[record.workspace, default: []].insert(device.device.id)
                case .card:
                    let value = try JSONDocument(parsing: bytes).root.object()
                    let key = CardKey(
                        device: DeviceKey(workspace: record.workspace, device: try value.identifier("device")),
                        session: try value.optionalIdentifier("session"))
                    cards[key] = try Card(stored: value)
                case .push:
                    let push = try PlannedPush(stored: bytes, in: record.workspace)
                    pushes[push.order.id] = push
                    pushesOf[push.key, default: []].append(push.order.id)
                    lastPush = max(lastPush, push.order.id.rawValue)
                case .channel:
                    let channel = try Channel(stored: bytes, in: record.workspace)
                    channels[channel.name] = channel
                case .budget: break
                }
            } catch { damaged.append("\(record.kind) \(record.name)") }
        }
        for key in pushesOf.keys { pushesOf[key]?.sort() }
    }
}

/// Whether a client is in the foreground, and what it shows.
struct Presence: Equatable {
    var isForeground: Bool
    var session: SessionID?
    var device: DeviceID?
    /// By `Instant.uptime`.
    var heardAt: Int64
}
