import RelayCore

/// Registrations of the last hour by address, and by the networks around it.
struct RegistrationCounts {
    /// Counts of addresses, then of each wider network, in the order of `RegistrationNetwork.around`.
    private var levels: [RecentCounts]

    /// `max`: of one address.
    init(perHour max: Int) { levels = RegistrationNetwork.shares.map { .registrations(perHour: max * $0) } }

    /// Counts a registration; returns the time to wait if the address or one of its networks is over the limit. Refused ones are
    /// not counted: an address that keeps asking takes nothing from its network.
    mutating func note(_ caller: RecentCounts.Name, at now: ContinuousClock.Instant) -> RecentCounts.Excess? {
        let names = RegistrationNetwork.around(caller.own).map {
            RecentCounts.Name(own: $0.description, network: caller.network)
        }
        for (level, name) in zip(levels, names) {
            if let excess = level.excess(of: name, at: now) { return excess }
        }
        for (level, name) in zip(levels.indices, names) { _ = levels[level].note(name, at: now) }
        return nil
    }
}
