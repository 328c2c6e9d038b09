import RelayProtocol

/// Due pushes of devices that have as many under way as allowed. Each is planned as soon as one of those is answered.
struct RoomQueue {
    enum Entry: Hashable {
        case ring(CardKey, ApprovalID)
        case card(CardKey)
        case alerts
    }

    /// Entries of each device, in order of arrival.
    private var waiting: [DeviceKey: [Entry]] = [:]

    mutating func add(_ entry: Entry, of key: DeviceKey) {
        if waiting[key]?.contains(entry) != true { waiting[key, default: []].append(entry) }
    }

    mutating func takeFirst(of key: DeviceKey) -> Entry? {
        guard let first = waiting[key]?.first else { return nil }
        waiting[key]?.removeFirst()
        if waiting[key]?.isEmpty == true { waiting[key] = nil }
        return first
    }

    mutating func forget(_ key: DeviceKey) { waiting[key] = nil }
}
