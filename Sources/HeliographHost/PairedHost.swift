internal import HeliographHook
package import RelayAccess
internal import RelayProtocol

/// The relay's word on the token of this machine, for a command that is given a link.
package enum PairedHost {
    /// The relay knows it. `workspace` has the name of its workspace for people.
    case known(workspace: String)
    /// Its token was revoked, or its workspace deleted.
    case revoked
    /// The relay did not say.
    case unknown(HTTPError)

    package init(_ configuration: HostConfiguration) {
        let exchange = HTTPExchange(
            relay: configuration.relay, method: .get, path: ProtocolVersion.mePath, bearer: configuration.token,
            certificateAuthorityFile: configuration.certificateAuthorityFile)
        do throws(HTTPError) {
            let answer = try exchange.perform()
            guard answer.status != 401 else {
                self = .revoked
                return
            }
            let identity = try? Identity(parsing: answer.body)
            self = .known(workspace: identity.map { VisibleText.line($0.workspace.name) } ?? "unknown")
        } catch { self = .unknown(error) }
    }
}

extension PairedHost {
    /// Reason, for people, for which a host that runs is not connected.
    package func reason(of relay: RelayAddress) -> String {
        switch self {
        case .revoked: "\(relay) does not know this machine any more: heliograph up"
        case .unknown(let error): "\(relay): \(error.message)"
        case .known: "\(relay) knows this machine, and it tries again: heliograph logs"
        }
    }
}

extension HostConfiguration {
    /// True if this link paired the machine.
    package func isPaired(by link: PairingLink) -> Bool { pairedBy == PairingAttempt.digest(of: link) }
}
