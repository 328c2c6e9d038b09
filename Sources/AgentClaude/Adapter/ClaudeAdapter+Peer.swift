internal import HostCore
internal import RelayProtocol

/// Prompts to a Claude Code in a terminal that is not ours. They reach it as messages of another session: it tells its model that its user
/// has not typed them, and so do we tell people.
extension ClaudeAdapter {
    mutating func registryNames(socket: String?, of id: SessionID) {
        guard let session = sessions[id], session.hasPeerSocket != (socket != nil) else { return }
        sessions[id]?.hasPeerSocket = socket != nil
        if session.program == nil { offer(id) }
    }

    mutating func sendMessage(_ text: String, _ request: SteeringRequest) {
        let id = request.session
        guard let session = sessions[id], let file = session.registryFile, let name = session.registryName else {
            return order(.notGiven(request, "its registry does not say where it takes messages"))
        }
        guard session.peerPrompt == nil else { return order(.notGiven(request, "another message is on its way to it")) }
        let until = now.monotonic + limits.peerShowsWithin.milliseconds
        sessions[id]?.peerPrompt = ClaudeSession.PeerPrompt(name: request.name, text: text, until: until)
        order(.steered(id, SteeringChange(request.name, .given, reason: "as a message of another session")))
        order(
            .sendMessage(
                ClaudePeerMessage(name: request.name, session: id, registryFile: file, registryName: name, text: text)))
    }

    /// That it was written is no evidence; that it was not is.
    mutating func messageSent(_ name: SteeringName, in id: SessionID, refusal: String?) {
        guard let refusal, sessions[id]?.peerPrompt?.name == name else { return }
        sessions[id]?.peerPrompt = nil
        order(.steered(id, SteeringChange(name, .refused, reason: refusal)))
    }

    /// What its hook says that it takes as its next prompt, letter for letter.
    mutating func peerPromptTaken(_ prompt: String, in id: SessionID) {
        guard let sent = sessions[id]?.peerPrompt, prompt == sent.text else { return }
        sessions[id]?.peerPrompt = nil
        order(.steered(id, SteeringChange(sent.name, .taken, reason: "as a message of another session")))
    }

    mutating func giveUpPeerPrompts() {
        for session in sessionsInOrder {
            guard let sent = session.peerPrompt, sent.until <= now.monotonic else { continue }
            sessions[session.id]?.peerPrompt = nil
            let reason = "it was sent, and may be held at the terminal: look there"
            order(.steered(session.id, SteeringChange(sent.name, .unknown, reason: reason)))
        }
    }
}

extension ClaudeSession {
    /// One that asks nobody holds such messages until the person at its screen lets them in, and clients cannot tell it anything anyway.
    var takesMessages: Bool { hasPeerSocket && isAttended && !isRun && !isLawless }
}
