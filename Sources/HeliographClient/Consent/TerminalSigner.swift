internal import Consent
internal import ConsentKeys
internal import DeviceConsent
internal import RelayProtocol

/// Signs this terminal's decisions and commands for a signed host that trusts it.
struct TerminalSigner {
    private let keys: TerminalKeys

    init(_ options: ClientOptions) { keys = TerminalKeys(options) }

    /// The key to sign with for that host. Throws if the host does not trust this terminal, as far as is known here.
    func identity(for host: KeyID, named name: String?) throws(ClientError) -> ConsentIdentity {
        guard try keys.book()[host] != nil, let identity = try keys.identity() else {
            let name = name.map { VisibleText.line($0) } ?? "its host"
            throw ClientError(
                .refused, "this terminal is not trusted by \(name) yet",
                advice:
                    "At that machine run “heliograph host trust”, and here: heliograph trust LINK. If this is the relay's machine, too: heliograph login LINK, with a link of “heliograph pair”."
            )
        }
        return identity
    }

    func signature(
        _ verdict: Decision.Verdict, for shown: ShownText, named name: String?, at now: Int64
    ) throws(ClientError) -> String {
        let identity = try identity(for: shown.host, named: name)
        return shown.statement(verdict, by: identity.id, at: now, .openSSL).signed(by: identity).text
    }

    /// The signature; nil if the action needs none. Uses up a count, which is never used again.
    func signature(
        _ action: SteeringAction, of session: SessionID, _ command: CommandID, for host: KeyID, named name: String?
    ) throws(ClientError) -> String? {
        guard action.needsSignature else { return nil }
        let identity = try identity(for: host, named: name)
        let count = try keys.nextCount()
        return action.statement(
            host: host, session: session, command: command, count: count, device: identity.id, .openSSL
        ).signed(by: identity).text
    }
}
