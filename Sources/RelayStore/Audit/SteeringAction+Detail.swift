internal import Consent
internal import ConsentKeys
internal import RelayProtocol

extension SteeringAction {
    /// The hash of the action's details, as a device signs it.
    func signedDetail(_ host: KeyID, _ session: SessionID, _ command: CommandID) -> ConsentHash {
        if case .prompt(let prompt) = self {
            return PromptStatement(
                host: host, session: session, command: command, prompt: prompt, count: 0, device: host, .openSSL
            ).detail
        }
        return SteeringStatement(
            host: host, session: session, command: command, action: self, count: 0, device: host, .openSSL
        ).detail
    }
}
