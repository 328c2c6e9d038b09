import HeliographCrypto
import RelayCore
import RelayProtocol

extension Credentials {
    /// Makes a workspace for a stranger, with a newcomer's limits, and the codes for it.
    ///
    /// - Throws: `Refusal` if there are too many.
    static func register(
        from address: String, by rules: RegistrationRules, at now: Int64, _ workspaces: any WorkspaceStore,
        _ store: any CredentialStore
    ) throws -> RegistrationAnswer {
        guard let id = WorkspaceID(Secret.identifier(prefix: "w_")) else {
            preconditionFailure("an identifier is spelled as one")
        }
        // To refuse a chosen name would reveal another workspace's.
        let workspace = Named<WorkspaceTag>(id: id, name: "stranger \(id.rawValue.dropFirst(2))")
        let registration = Registration(workspace: id, from: address, at: now)
        if let refusal = try workspaces.register(workspace, registration, by: rules) { throw Refusal.registration(refusal) }
        let codes = try [PairingRole.operator, .host].map {
            try makePairingCode($0, workspace: id, by: nil, lifetime: RegistrationRules.codesLifetime, store)
        }
        return RegistrationAnswer(
            workspace: workspace, device: codes[0].code, machine: codes[1].code, expiresAt: codes[1].expiresAt)
    }
}
