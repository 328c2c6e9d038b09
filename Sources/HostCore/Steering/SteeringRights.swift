package import RelayProtocol

/// Clients that may steer the sessions of this host, by its owner's setting here: the relay's permission alone is not enough.
package enum SteeringRights: Sendable, Equatable {
    case nobody
    /// All clients that the relay permits to steer.
    case everyone
    /// Only these clients may steer, if the relay allows them to as well.
    case only(Set<ClientID>)

    func refusal(of client: Named<ClientTag>) -> String? {
        switch self {
        case .nobody: "clients cannot steer this host"
        case .everyone: nil
        case .only(let clients): clients.contains(client.id) ? nil : "this host is not steered by \(client.name)"
        }
    }
}
