import Logging
import HeliographQRCode
import RelayAccess
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// Makes the codes that clients request with `pair`. Confined to the core's thread.
final class PairingDesk {
    private let access: Access
    private let mailbox: CoreMailbox
    private let logger: Logger

    init(access: Access, mailbox: CoreMailbox, logger: Logger) {
        self.access = access
        self.mailbox = mailbox
        self.logger = logger
    }

    func makeCode(for peer: PeerID, _ command: CommandID, _ role: PairingRole, _ workspace: WorkspaceID) {
        // A peer that has disconnected meanwhile gets no code: its parent token would be unknown.
        guard let authenticated = access.peers[ConnectionID(rawValue: peer.rawValue)] else { return }
        let (reached, parent) = (authenticated.baseURL, authenticated.token.id)
        // A person at the relay's own machine pairs a device that is elsewhere, so the link needs the public address.
        let base = RelayAddress(reached)?.staysHere == true ? access.authenticator.publicOrigin ?? reached : reached
        access.perform(.change, for: .workspace(workspace)) {
            try Credentials.makePairingCode(role, workspace: workspace, by: parent, $0)
        } then: { [self] result in
            let reply: Reply
            do {
                let code = try result.get()
                let link = code.link(base: base)
                reply = .pairing(link: link, expiresAt: code.expiresAt, qr: try QRCode(text: link).rowsText)
            } catch let refusal as Credentials.Refusal {
                reply = .failed(.tooMany, refusal.notice)
            } catch {
                logger.error("no pairing code could be made", metadata: ["error": "\(error)"])
                reply = .failed(
                    .unavailable, (error as? StoreQueue.QueueError)?.notice ?? "no code could be made; try again")
            }
            mailbox.put(.pairingAnswered(peer, command, reply))
        }
    }
}
