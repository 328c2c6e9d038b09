/// Settings of one run, apart from its seed.
package struct SimulationSettings: Sendable {
    package var hostsMax = 2
    package var clientsMax = 3
    /// Virtual milliseconds with faults (nil for the shape's); then `calm`, without faults, until all is quiet; then `settling`,
    /// until all that agents waited for is settled.
    package var duration: Int64?
    package var calm: Int64 = 130_000
    /// Longer than the minute between two small changes of one card: a session that ends while all settles appears on the card only
    /// after that.
    package var settling: Int64 = 75_000
    /// Nil draws it from the seed.
    package var shape: Shape?
    /// Unsent bytes for one client at which the relay is notified, and at which the connection is closed: more than any single
    /// snapshot.
    package var congestedBytes = 16 << 10
    package var outboxBytesMax = 2 << 20
    /// Limits of a host's spool: so small that they are reached.
    package var spoolBytesMax = 24 << 10
    package var spoolSegmentBytesMax = 6 << 10
    /// Nil draws them from the seed.
    package var faults: Faults?
    package var plant: Plant?
    /// True if there are phones; nil for every fifth world.
    package var hasPhones: Bool?
    /// True if sessions are steered; nil for every fourth world.
    package var isSteered: Bool?

    /// True if hosts require signatures; nil for every fourth world.
    package var isSigned: Bool?
    /// True if hosts that require signatures also seal their content; nil for every second world of theirs, and if a fault of
    /// sealing is planted.
    package var isSealed: Bool?

    /// True if the owners of hosts have rules; nil for every third world without real adapters.
    package var hasRules: Bool?

    /// True if hosts run the real adapters; nil for every fourth world.
    package var hasRealAgents: Bool?

    package init() {}
}

extension SimulationSettings {
    /// One long run with modest faults, which shows anything that grows without bound.
    package static func soak(hours: Int64) -> Self {
        var settings = Self()
        settings.duration = hours * 3_600_000
        settings.shape = .soak
        var faults = Faults()
        faults.delay = 0.01
        faults.cut = 0.0005
        faults.relayCrash = 0.00002
        faults.hostCrash = 0.00002
        faults.powerLoss = 0.3
        faults.slowCommit = 0.01
        faults.refusedCommit = 0.0002
        faults.failedWrite = 0.0005
        faults.stall = 0.0005
        faults.agentRestart = 0.0005
        faults.restlessClient = 0.005
        faults.refusedPush = 0.005
        faults.unknownPush = 0.005
        faults.unsentPush = 0.005
        faults.latePush = 0.01
        faults.lostPush = 0.02
        settings.hasPhones = true
        settings.hasRealAgents = false
        settings.faults = faults
        return settings
    }
}
