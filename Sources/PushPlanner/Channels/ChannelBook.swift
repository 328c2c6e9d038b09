import RelayModel
import RelayProtocol

/// Every broadcast channel that a service reported and has not deleted, by name.
struct ChannelBook {
    private var channels: [String: Channel] = [:]
    /// Apps that their service does not let broadcast. Kept in memory only.
    private var appsWithoutBroadcast: Set<String> = []

    var count: Int { channels.count }

    /// In no order.
    var all: some Collection<Channel> { channels.values }

    var names: [String] { channels.keys.sorted() }

    subscript(name: String) -> Channel? { channels[name] }

    /// True if another channel may be made for this app.
    func isOpen(to app: String) -> Bool {
        !appsWithoutBroadcast.contains(app) && channels.count < PlannerLimits.channelsMax
    }

    mutating func close(to app: String) { appsWithoutBroadcast.insert(app) }

    mutating func add(_ channel: Channel) { channels[channel.name] = channel }

    /// Nil if the channel is unknown.
    mutating func remove(_ name: String) -> Channel? { channels.removeValue(forKey: name) }

    // MARK: - Deleted

    /// Marks a channel that no card needs any more. Returns false if it was marked before, or is unknown.
    mutating func letGo(_ name: String, until time: Int64) -> Bool {
        guard channels[name]?.isOver == false else { return false }
        channels[name]?.isOver = true
        channels[name]?.dueAt = time
        return true
    }

    /// Channels to be deleted, oldest first, without those whose deletion is under way.
    var waiting: [Channel] { channels.values.filter { $0.isOver && $0.inFlight == nil }.sorted { $0.maker < $1.maker } }

    mutating func postpone(_ name: String, to time: Int64) { channels[name]?.dueAt = time }

    mutating func deletionBegan(_ name: String, with push: PushID) { channels[name]?.inFlight = push }

    /// Returns the number of attempts; nil if the channel is unknown.
    mutating func deletionEnded(_ name: String) -> Int64? {
        channels[name]?.inFlight = nil
        channels[name]?.tries += 1
        return channels[name]?.tries
    }

    // MARK: - Clocks

    /// Moves all deletions forward to this time at the latest.
    mutating func limit(to latest: Int64) { for name in channels.keys { channels[name]?.limit(to: latest) } }

    /// Shifts all deletions when the wall clock is set.
    mutating func move(by jump: Int64) { for name in channels.keys { channels[name]?.dueAt += jump } }
}
