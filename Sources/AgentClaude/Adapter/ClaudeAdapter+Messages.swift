internal import HostCore
internal import RelayProtocol

/// The assistant's messages.
extension ClaudeAdapter {
    mutating func messageShown(_ id: SessionID, _ payload: JSONValue) {
        let name = TextCut.line(payload.text("message_id") ?? "", bytesMax: WireLimits.nameBytesMax)
        let agent = Self.agent(payload)
        guard !name.isEmpty, var session = sessions[id] else { return }
        var message = ClaudeSession.Message(id: name, agent: agent)
        if let position = session.messages.firstIndex(where: { $0.id == name }) {
            message = session.messages.remove(at: position)
        }
        let piece = payload.whole("index") ?? message.next
        if piece >= message.next { message.early[piece] = (payload.text("delta") ?? "", payload.isTrue("final")) }
        sessions[id] = session
        take(message, in: id)
    }

    /// Appends the pieces that have arrived in order, or, if `isLate`, all that have arrived.
    private mutating func take(_ message: ClaudeSession.Message, isLate: Bool = false, in id: SessionID) {
        var message = message
        var isFinal = false
        let isFull = message.early.count > limits.earlyPiecesMax
        if isLate || isFull, let first = message.early.keys.min() { message.next = first }
        while !isFinal, let piece = message.early.removeValue(forKey: message.next) {
            // Text beyond what is shown or searched for secrets is not even kept.
            let room = limits.texts.messageBytes + limits.scanMargin + WireLimits.lineBytesMax - message.text.utf8.count
            if room > 0 { message.text += TextCut.rough(piece.text, bytesMax: room) }
            message.next += 1
            isFinal = piece.isFinal
            if isLate, message.early[message.next] == nil, let first = message.early.keys.min() { message.next = first }
        }
        message.due = message.early.isEmpty ? nil : message.due ?? now.monotonic + limits.textWait.milliseconds
        if isFinal {
            finish(message, of: message.agent, in: id)
            announced(message.agent, in: id)
        } else {
            stream(&message, of: message.agent, in: id)
            sessions[id]?.messages.append(message)
            if let count = sessions[id]?.messages.count, count > limits.messagesMax { sessions[id]?.messages.removeFirst() }
        }
    }

    mutating func takeOverdueMessages() {
        for session in sessionsInOrder {
            for message in session.messages where message.due.map({ $0 <= now.monotonic }) == true {
                sessions[session.id]?.messages.removeAll { $0.id == message.id }
                take(message, isLate: true, in: session.id)
            }
        }
    }

    private mutating func finish(_ message: ClaudeSession.Message, of agent: String?, in id: SessionID) {
        guard !TextCut.trim(message.text).isEmpty else { return }
        let text = clean(message.text, bytesMax: limits.texts.messageBytes)
        let summary = TextCut.line(text, bytesMax: limits.texts.summaryBytes)
        let head = EventHead.message(
            .assistant, summary: summary.isEmpty ? nil : summary, message: message.id, agent: agent)
        emit(head, in: id) { $0.field("text", text) }
    }

    /// Sends the text so far. Only whole lines are sent early, because half a secret is not recognised. A key of many lines waits
    /// for the whole message.
    private mutating func stream(_ message: inout ClaudeSession.Message, of agent: String?, in id: SessionID) {
        guard message.text.utf8.count <= limits.texts.messageBytes, !message.text.contains("-----BEGIN") else { return }
        let fresh = message.text.utf8.dropFirst(message.streamed)
        guard let end = fresh.lastIndex(of: UInt8(ascii: "\n")) else { return }
        let lines = fresh[...end]
        message.streamed += lines.count
        let text = clean(String(decoding: lines, as: UTF8.self))
        order(.stream(Delta(session: id, message: message.id, text: text, agent: agent)))
    }
}
