internal import HostCore
internal import RelayProtocol

/// Prompts to a Claude Code in a terminal that is not ours. They reach it as messages of another session: it tells its model that
/// its user has not typed them, and we tell people the same.
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
        guard !ClaudeNotice.isOne(text) else {
            return order(.notGiven(request, "it reads as a notice of Claude Code's own, and nothing could tell it from one"))
        }
        guard session.peerPrompt == nil else { return order(.notGiven(request, "another message is on its way to it")) }
        let until = now.monotonic + limits.peerShowsWithin.milliseconds
        sessions[id]?.peerPrompt = ClaudeSession.PeerPrompt(name: request.name, text: text, until: until)
        order(.steered(id, SteeringChange(request.name, .given, reason: "as a message of another session")))
        var message = ClaudePeerMessage(
            name: request.name, session: id, registryFile: file, registryName: name, text: text)
        message.hasSubagents = !session.background.agents.isEmpty
        order(.sendMessage(message))
    }

    /// Handles the result of sending. Only a failure is evidence; success is not.
    mutating func messageSent(_ name: SteeringName, in id: SessionID, refusal: String?) {
        guard sessions[id]?.peerPrompt?.name == name else { return }
        guard let refusal else {
            sessions[id]?.peerPrompt?.isWritten = true
            return
        }
        sessions[id]?.peerPrompt = nil
        order(.steered(id, SteeringChange(name, .refused, reason: refusal)))
    }

    /// Handles a prompt that a hook reports, compared letter by letter. The hook does not say whose prompt it is, so only the first
    /// one after the message was written counts. `name`: Claude Code's, if its line in the transcript will show that it was taken.
    mutating func promptTaken(_ prompt: String, _ name: String?, in id: SessionID) {
        let isLate = sessions[id]?.isLatePeerText(prompt) ?? false
        guard let sent = sessions[id]?.peerPrompt, sent.prompt == nil else { return }
        guard prompt == sent.text, sent.isWritten, !sent.isDoubtful, !isLate else {
            sessions[id]?.peerPrompt?.isDoubtful = true
            return
        }
        sessions[id]?.peerPrompt?.prompt = name
        if name == nil { peerPromptProven(nil, in: id) }
    }

    mutating func peerPromptProven(_ prompt: String?, in id: SessionID) {
        guard let sent = sessions[id]?.peerPrompt, sent.prompt == prompt else { return }
        sessions[id]?.peerPrompt = nil
        order(.steered(id, SteeringChange(sent.name, .taken, reason: "as a message of another session")))
    }

    mutating func peerPromptRefused(_ prompt: String, _ reason: String, in id: SessionID) {
        guard let sent = sessions[id]?.peerPrompt, sent.prompt == prompt else { return }
        sessions[id]?.peerPrompt = nil
        order(.steered(id, SteeringChange(sent.name, .refused, reason: reason)))
    }

    /// A dialog opened before the message was taken. It may be about the message, and the person at the terminal can prompt the
    /// agent after it.
    mutating func messageHeld(_ id: SessionID) {
        if let sent = sessions[id]?.peerPrompt, sent.isWritten, sent.prompt == nil {
            sessions[id]?.peerPrompt?.isDoubtful = true
        }
    }

    mutating func giveUpPeerPrompts() {
        for session in sessionsInOrder {
            guard let sent = session.peerPrompt, sent.until <= now.monotonic else { continue }
            guard sent.prompt == nil else {
                sessions[session.id]?.peerPrompt = nil
                order(.steered(session.id, SteeringChange(sent.name, .unknown, reason: SubmissionLine.unshown)))
                continue
            }
            sessions[session.id]?.giveUpPeerPrompt(countMax: limits.unshownMessagesMax)
            let reason =
                sent.isDoubtful
                ? "it was sent, and what was taken since may be somebody else's: look at the terminal"
                : "it was sent, and may be held at the terminal: look there"
            order(.steered(session.id, SteeringChange(sent.name, .unknown, reason: reason)))
        }
    }
}

extension ClaudeSession {
    /// True if messages reach the agent. An agent that never asks holds them until the person at its screen lets them in, and
    /// clients cannot send it anything anyway.
    var takesMessages: Bool { hasPeerSocket && isAttended && !isRun && !isLawless }
}
