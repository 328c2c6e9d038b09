import HeliographCrypto
import RelayCore
import RelayProtocol

extension RegistrationRules {
    fileprivate var terms: RegistrationAnswer.Terms {
        RegistrationAnswer.Terms(
            megabytes: Int64(newcomer.megabytes), sessions: Int64(newcomer.sessions), keepDays: Int64(newcomer.keepDays),
            idleDays: Int64(idleDays))
    }
}

extension Credentials {
    /// Makes a workspace for a stranger, with a newcomer's limits, and the codes for it; or codes again for the one of this key, while nobody has
    /// entered it.
    ///
    /// - Throws: `Refusal` if there are too many, or the key was used.
    static func register(
        from address: String, as key: String?, by rules: RegistrationRules, at now: Int64, _ workspaces: any WorkspaceStore,
        _ store: any CredentialStore
    ) throws -> RegistrationAnswer {
        let prefix = "w_"
        let name = key.map { Secret.identifier(prefix: prefix, of: $0) } ?? Secret.identifier(prefix: prefix)
        guard let id = WorkspaceID(name) else { preconditionFailure("an identifier is spelled as one") }
        // A generated name, as refusing a chosen one would reveal that another workspace has it.
        let workspace = Named<WorkspaceTag>(id: id, name: "stranger \(id.rawValue.dropFirst(2))")
        if key != nil, try workspaces.registrations().contains(where: { $0.workspace == id }) {
            guard try store.tokens(of: id).isEmpty else { throw Refusal.usedKey }
        } else {
            try add(workspace, Registration(workspace: id, from: address, at: now), by: rules, workspaces)
        }
        let codes = try [PairingRole.operator, .host].map {
            try makePairingCode($0, workspace: id, by: nil, lifetime: RegistrationRules.codesLifetime, store)
        }
        return RegistrationAnswer(
            workspace: workspace, device: codes[0].code, machine: codes[1].code, expiresAt: codes[1].expiresAt,
            terms: rules.terms)
    }

    private static func add(
        _ workspace: Named<WorkspaceTag>, _ registration: Registration, by rules: RegistrationRules,
        _ workspaces: any WorkspaceStore
    ) throws {
        let refusal: RegistrationRules.Refusal?
        do throws(LogError) { refusal = try workspaces.register(workspace, registration, by: rules) } catch {
            // The workspace was removed, or another node adds it at this moment.
            throw error.code == .conflict ? Refusal.usedKey : error
        }
        if let refusal { throw Refusal.registration(refusal) }
    }
}
