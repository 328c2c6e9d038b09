package import RelayProtocol

/// Permissions of an identity. They are not stored with tokens: they follow from the role.
package struct Scope: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Report its agents' work, and receive decisions.
    package static let report = Scope(rawValue: 1 << 0)
    /// See the workspace's sessions, and get pushes about them on a device.
    package static let watch = Scope(rawValue: 1 << 1)
    /// Answer agents' questions.
    package static let decide = Scope(rawValue: 1 << 2)
    /// Send commands to agents, and stop them.
    package static let steer = Scope(rawValue: 1 << 3)
    /// Pair and revoke hosts and clients, set budgets, and remove sessions.
    package static let administer = Scope(rawValue: 1 << 4)

    /// The rights in the form that clients receive.
    package var rights: Set<ClientRight> {
        let known: [(Scope, ClientRight)] = [
            (.watch, .watch), (.decide, .decide), (.steer, .steer), (.administer, .administer),
        ]
        return Set(known.lazy.filter { contains($0.0) }.map(\.1))
    }

    package init(of role: PairingRole) {
        switch role {
        case .host: self = .report
        case .watcher: self = .watch
        case .client: self = [.watch, .decide, .administer]
        case .operator: self = [.watch, .decide, .steer, .administer]
        }
    }

    /// The only permission check: true if a holder of this scope may do an action that needs `needed`.
    package func allows(_ needed: Scope) -> Bool { isSuperset(of: needed) }
}

extension HostMessage {
    /// Permission that the message needs. `hello` needs it too, as it takes the host's place from an earlier connection.
    package var scope: Scope { .report }
}

extension ClientCommand {
    package var scope: Scope {
        switch self {
        case .ping: []
        case .subscribe, .olderSessions, .unsubscribe, .history, .presence, .seen, .device, .deviceChoices, .card, .forget,
            .devices, .testPush, .budgets, .costs, .screen(_, .look, _):
            .watch
        case .decide(let decide):
            if case .allowEdited = decide.verdict { [.decide, .steer] } else { .decide }
        case .letter: .decide
        case .steer, .withdraw, .screen(_, .type, _): .steer
        case .pair, .budget, .remove: .administer
        }
    }
}
