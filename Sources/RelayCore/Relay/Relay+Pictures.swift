import RelayModel
import RelayProtocol

/// Prompts with pictures. The core never sees the pictures: it asks whether they are stored before it records a prompt.
extension Relay {
    mutating func findPictures(of request: SteeringRequest, in key: SessionKey, _ peer: PeerID) {
        guard commands.hasRoom(for: peer) else {
            return orders.reply(.failed(.tooMany, "too many commands; wait for their answers"), to: request.command, of: peer)
        }
        commands.began(peer)
        orders.add(.findPictures(peer, request, key))
    }

    /// Checks the command again, as much may have changed meanwhile.
    mutating func picturesFound(_ finding: PictureFinding, _ request: SteeringRequest, _ peer: PeerID, at now: Instant) {
        guard let client = presence.clients[peer], !client.isShownOut else { return }
        commands.answered(peer)
        switch finding {
        case .all: steer(request, of: client, peer, at: now, picturesAreThere: true)
        case .lacking:
            orders.reply(
                .failed(.unknownPicture, "a picture of this prompt is not kept here, or no more: send it again"),
                to: request.command, of: peer)
        case .failed(let reason): orders.reply(.failed(.unavailable, reason), to: request.command, of: peer)
        }
    }
}
