package import RelayProtocol

/// Limits of registered workspaces, and the removal of unused ones. Pure: the store applies these rules within the transaction of
/// the change.
package struct RegistrationRules: Sendable, Equatable {
    package var isOpen = false
    /// Registered workspaces of one address that exist at once: enough for a family or an office behind one address, which get more
    /// by invitation. An IPv6 /56 may have twice as many, a /48 four times.
    package var perAddressMax = 5
    /// Registered workspaces of all addresses: half of what a relay holds, so that the operator's own have room.
    package var countMax = 500
    /// Days without use after which a registered workspace is deleted: longer than a long holiday.
    package var idleDays = 30
    package var newcomer = Newcomer()

    /// Limits of a new workspace, until the operator changes them.
    package struct Newcomer: Sendable, Equatable {
        package var sessions = 200
        package var megabytes = 64
        package var pushesPerDay = 1_000
        package var connections = 20
        package var keepDays = 30
        /// Memory of its sessions: enough for a thousand ordinary ones. Five hundred newcomers take 2 GB.
        package var sessionMegabytes = 4
        /// Approvals and lines of the audit log that are added in a day: some hundred approvals.
        package var recordMegabytesPerDay = 4

        package init() {}

        /// The limits that are stored with the workspace.
        package var limits: WorkspaceLimits {
            WorkspaceLimits(
                sessions: sessions, megabytes: megabytes, pushesPerDay: pushesPerDay, connections: connections,
                keepDays: keepDays)
        }
    }

    private static let day: Int64 = 24 * 60 * 60 * 1000
    /// Time for which a new workspace's codes are valid, in milliseconds: enough to get a phone.
    package static let codesLifetime = day

    package init() {}

    package enum Refusal: Sendable, Equatable {
        case perAddress, count
        /// The network's name.
        case perNetwork(String)

        package var sentence: String {
            switch self {
            case .perAddress:
                "this address has as many workspaces as one may register: ask whoever runs this relay for an invitation"
            case .perNetwork(let network):
                "\(network) has as many workspaces as one network may register: ask whoever runs this relay for an invitation"
            case .count: "this relay takes no more newcomers for now: ask whoever runs it for an invitation"
            }
        }
    }

    /// Nil if this address may register another workspace. `count`: number of all workspaces.
    package func refusal(of address: String, beside registered: [Registration], among count: Int) -> Refusal? {
        if registered.count >= countMax || count >= WorkspaceRules.countMax { return .count }
        for network in RegistrationNetwork.around(address)
        where registered.count(where: { network.contains($0.from) }) >= perAddressMax * network.share {
            return network.length == nil ? .perAddress : .perNetwork(network.description)
        }
        return nil
    }

    /// The registered workspaces to delete: those that nobody entered before their codes expired, and those unused for `idleDays`.
    /// `tokens` includes revoked ones: a person who has revoked the last token may be about to start again.
    package func idle(_ registered: [Registration], tokens: [Token], at now: Int64) -> [WorkspaceID] {
        var used: [WorkspaceID: Int64] = [:]
        for token in tokens {
            used[token.workspace] = max(used[token.workspace] ?? 0, token.createdAt, token.lastUse?.at ?? 0)
        }
        return registered.filter { registration in
            guard let last = used[registration.workspace] else { return now - registration.at > Self.codesLifetime }
            return now - last > Int64(idleDays) * Self.day
        }.map(\.workspace)
    }
}
