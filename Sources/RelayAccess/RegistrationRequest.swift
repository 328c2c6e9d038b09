internal import HeliographCrypto
package import RelayProtocol

/// Requests a workspace at a relay with open registration. Blocks the calling thread as long as `HTTPExchange` does.
package struct RegistrationRequest: Sendable {
    package typealias Result = RegistrationAnswer

    package var relay: RelayAddress
    /// Names the workspace, so that it is not made twice if the answer is lost.
    package var key: String
    package var certificateAuthorityFile: String?

    package init(relay: RelayAddress, key: String, certificateAuthorityFile: String? = nil) {
        self.relay = relay
        self.key = key
        self.certificateAuthorityFile = certificateAuthorityFile
    }

    package func perform() throws(PairingError) -> Result {
        let answer: HTTPExchange.Answer
        do throws(HTTPError) {
            answer = try HTTPExchange(
                relay: relay, path: ProtocolVersion.registerPath, body: RegistrationCall(key: key).bytes,
                certificateAuthorityFile: certificateAuthorityFile
            ).perform()
        } catch { throw .noAnswer(error) }
        // Relays of an earlier version do not have this request.
        if [404, 405].contains(answer.status) {
            throw .refused(status: answer.status, "this relay takes nobody without an invitation")
        }
        if answer.status == 409 { throw .usedKey }
        guard answer.status == 201 else { throw PairingRequest.refusal(by: answer) }
        guard let given = try? RegistrationAnswer(parsing: answer.body),
            // They are shown, and pasted into a shell.
            [given.device, given.machine].allSatisfy({ Secret.normalizePairingCode($0) != nil })
        else { throw .notARelay }
        return given
    }
}
