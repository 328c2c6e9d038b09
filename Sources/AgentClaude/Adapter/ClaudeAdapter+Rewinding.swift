internal import HostCore
internal import RelayProtocol

/// A conversation that a person rewinds at the terminal: `/rewind`, Esc twice, or Esc before the first word of an answer.
///
/// No hook reports it, and nothing is written at that moment. The next prompt's line in the transcript, written after that prompt's
/// hook, names the earlier place from which it continues. The events of that prompt wait for this line, because the rewinding is
/// reported before them.
extension ClaudeAdapter {
    struct AwaitedPrompt {
        /// Claude Code's name for the prompt.
        var name: String
        /// Time at which the transcript is read again, and after which it is not.
        var due: Int64
        let until: Int64
        /// End of the transcript when it was last searched.
        var searched: Int?
        /// Events that wait for the prompt, in order.
        var events: [(bytes: [UInt8], kind: EventKind?)] = []
    }

    /// Begins to wait for the prompt's line. A session without an earlier prompt has nothing to rewind, and only a person at its
    /// terminal rewinds it.
    mutating func awaitLine(of prompt: String?, in id: SessionID) {
        goOn(id)
        guard let prompt, let session = sessions[id], session.isAttended, session.hasTitle, limits.promptLineWait > .zero else {
            return
        }
        let until = now.monotonic + limits.promptLineWait.milliseconds
        sessions[id]?.awaited = AwaitedPrompt(name: prompt, due: now.monotonic, until: until)
        lookForLine(in: id)
    }

    /// Returns true if the event waits. Questions to a person and the session's end wait for at most one more look.
    mutating func hold(_ bytes: [UInt8], _ kind: EventKind?, in id: SessionID) -> Bool {
        guard let awaited = sessions[id]?.awaited else { return false }
        let isFull =
            awaited.events.count >= limits.deferredMax
            || awaited.events.reduce(bytes.count) { $0 + $1.bytes.count } > limits.deferredBytesMax
        if isFull || kind == .sessionEnded {
            goOn(id)
            return false
        }
        sessions[id]?.awaited?.events.append((bytes, kind))
        remember(id)
        if kind == .approvalRequested { lookForLine(in: id, isLast: true) }
        return true
    }

    mutating func lookForLines() {
        for session in sessionsInOrder {
            guard let awaited = session.awaited, awaited.due <= now.monotonic else { continue }
            lookForLine(in: session.id, isLast: awaited.until <= now.monotonic)
        }
    }

    private mutating func lookForLine(in id: SessionID, isLast: Bool = false) {
        guard let awaited = sessions[id]?.awaited else { return }
        sessions[id]?.awaited?.due = min(awaited.until, now.monotonic + limits.promptLineCheck.milliseconds)
        if !read(id, .continued(prompt: awaited.name, isLast: isLast)) { goOn(id) }
    }

    mutating func lineRead(_ end: ClaudeTranscript?, of prompt: String, isLast: Bool, in id: SessionID) {
        guard let awaited = sessions[id]?.awaited, awaited.name == prompt else { return }
        guard let end, end.end != awaited.searched || isLast else {
            if end == nil || isLast { goOn(id) }
            return
        }
        sessions[id]?.awaited?.searched = end.end
        switch end.continuation(of: prompt) {
        case .earlier(let kept):
            let text = kept.map { TextCut.line(clean($0, bytesMax: limits.texts.messageBytes)) }
            // Events are numbered differently at the relay, so the number is left out.
            goOn(id, after: Event(.rewound(to: 0), at: now.wall) { $0.field("text", text) })
        case .last: goOn(id)
        case nil: if isLast { goOn(id) }
        }
    }

    /// Reports the waiting events, after the rewinding if there was one.
    mutating func goOn(_ id: SessionID, after rewinding: Event? = nil) {
        guard let awaited = sessions[id]?.awaited else { return }
        sessions[id]?.awaited = nil
        if let rewinding { emit(rewinding.bytes, .rewound, in: id) }
        for event in awaited.events { emit(event.bytes, event.kind, in: id) }
        if !awaited.events.isEmpty { remember(id) }
    }
}
