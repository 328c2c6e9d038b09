package import RelayProtocol

/// Permissions of an identity. No token stores them: they follow from its role.
package struct Scope: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Report its agents' work, and receive decisions.
    package static let report = Scope(rawValue: 1 << 0)
    /// See the workspace's sessions, and have them reported to a device.
    package static let watch = Scope(rawValue: 1 << 1)
    /// Answer agents' questions.
    package static let decide = Scope(rawValue: 1 << 2)
    /// Send commands to agents, and stop them.
    package static let steer = Scope(rawValue: 1 << 3)
    /// Let others in and show them out, set budgets, and remove sessions.
    package static let administer = Scope(rawValue: 1 << 4)

    /// In the form that clients receive.
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

    /// The one guard: true if a holder of this scope may do an action that needs that one.
    package func allows(_ needed: Scope) -> Bool { isSuperset(of: needed) }
}

extension HostMessage {
    /// Permission that the message needs. Greeting counts: it takes the host's place from the connection that had it.
    package var scope: Scope { .report }
}

extension ClientCommand {
    /// Permission that the command needs.
    package var scope: Scope {
        switch self {
        case .ping: []
        case .subscribe, .unsubscribe, .history, .presence, .seen, .device, .deviceChoices, .card, .forget, .devices, .testPush,
            .budgets, .costs, .screen(_, .look, _):
            .watch
        case .decide, .letter: .decide
        case .steer, .withdraw, .screen(_, .type, _): .steer
        case .pair, .budget, .remove: .administer
        }
    }
}
