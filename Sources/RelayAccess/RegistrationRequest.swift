package import RelayProtocol

/// Asks a relay that takes everybody for a workspace. Blocks the calling thread for as long as `HTTPExchange` may.
package struct RegistrationRequest: Sendable {
    package typealias Result = RegistrationAnswer

    package var relay: RelayAddress
    package var certificateAuthorityFile: String?

    package init(relay: RelayAddress, certificateAuthorityFile: String? = nil) {
        self.relay = relay
        self.certificateAuthorityFile = certificateAuthorityFile
    }

    package func perform() throws(PairingError) -> Result {
        let answer: HTTPExchange.Answer
        do throws(HTTPError) {
            answer = try HTTPExchange(
                relay: relay, path: ProtocolVersion.registerPath, certificateAuthorityFile: certificateAuthorityFile
            ).perform()
        } catch { throw .noAnswer(error) }
        // One of an earlier version knows no such request.
        if [404, 405].contains(answer.status) {
            throw .refused(status: answer.status, "this relay takes nobody without an invitation")
        }
        guard answer.status == 201 else { throw .refused(status: answer.status, PairingRequest.said(by: answer)) }
        do throws(WireError) { return try RegistrationAnswer(parsing: answer.body) } catch { throw .notARelay }
    }
}
