internal import RelayProtocol

/// What the assistant writes.
extension ClaudeAdapter {
    mutating func messageShown(_ id: SessionID, _ payload: JSONValue) {
        let name = TextCut.line(payload.text("message_id") ?? "", bytesMax: WireLimits.nameBytesMax)
        let agent = Self.agent(payload)
        guard !name.isEmpty, var session = sessions[id] else { return }
        var message = ClaudeSession.Message(id: name, agent: agent)
        if let position = session.messages.firstIndex(where: { $0.id == name }) {
            message = session.messages.remove(at: position)
        }
        // What comes behind all that is shown or looked through is not even kept.
        let room = limits.messageBytes + limits.scanMargin + WireLimits.lineBytesMax - message.text.utf8.count
        if room > 0 { message.text += TextCut.rough(payload.text("delta") ?? "", bytesMax: room) }
        if payload.isTrue("final") {
            sessions[id] = session
            finish(message, of: agent, in: id)
            announced(agent, in: id)
        } else {
            stream(&message, of: agent, in: id)
            session.messages.append(message)
            if session.messages.count > limits.messagesMax { session.messages.removeFirst() }
            sessions[id] = session
        }
    }

    private mutating func finish(_ message: ClaudeSession.Message, of agent: String?, in id: SessionID) {
        guard !TextCut.trim(message.text).isEmpty else { return }
        let text = clean(message.text, bytesMax: limits.messageBytes)
        let summary = TextCut.line(text, bytesMax: limits.summaryBytes)
        let head = EventHead.message(
            .assistant, summary: summary.isEmpty ? nil : summary, message: message.id, agent: agent)
        emit(head, in: id) { $0.field("text", text) }
    }

    /// Only whole lines go out early: half a secret is not seen to be one. A key of many lines waits for the whole message.
    private mutating func stream(_ message: inout ClaudeSession.Message, of agent: String?, in id: SessionID) {
        guard message.text.utf8.count <= limits.messageBytes, !message.text.contains("-----BEGIN") else { return }
        let fresh = message.text.utf8.dropFirst(message.streamed)
        guard let end = fresh.lastIndex(of: UInt8(ascii: "\n")) else { return }
        let lines = fresh[...end]
        message.streamed += lines.count
        let text = clean(String(decoding: lines, as: UTF8.self))
        order(.stream(Delta(session: id, message: message.id, text: text, agent: agent)))
    }
}
