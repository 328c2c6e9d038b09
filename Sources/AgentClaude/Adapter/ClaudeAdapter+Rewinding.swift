internal import HostCore
internal import RelayProtocol

/// A conversation that a person rewinds at the terminal: `/rewind`, Esc twice, or Esc before the first word of an answer.
///
/// No hook reports it and nothing is written then. The next prompt's line in the transcript names an earlier place as the one that it goes
/// on from; it is written after that prompt's hook. The events of that prompt wait for it, as what is forgotten is reported before them.
extension ClaudeAdapter {
    struct AwaitedPrompt {
        /// Claude Code's name for the prompt.
        var name: String
        /// Time at which the transcript is read again, and after which it is not.
        var due: Int64
        let until: Int64
        /// End of the transcript when it was last searched.
        var searched: Int?
        /// In order.
        var events: [(bytes: [UInt8], kind: EventKind?)] = []
    }

    /// A session without an earlier prompt has nothing to forget, and only a person at its terminal rewinds it.
    mutating func awaitLine(of prompt: String?, in id: SessionID) {
        goOn(id)
        guard let prompt, let session = sessions[id], session.isAttended, session.hasTitle, limits.promptLineWait > .zero else {
            return
        }
        let until = now.monotonic + limits.promptLineWait.milliseconds
        sessions[id]?.awaited = AwaitedPrompt(name: prompt, due: now.monotonic, until: until)
        lookForLine(in: id)
    }

    /// Returns true if the event waits. What a person has to answer, or that the session ended, waits for one more look at most.
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
            // Events have other numbers at the relay than here.
            goOn(id, after: Event(.rewound(to: 0), at: now.wall) { $0.field("text", text) })
        case .last: goOn(id)
        case nil: if isLast { goOn(id) }
        }
    }

    /// Reports what waits.
    mutating func goOn(_ id: SessionID, after rewinding: Event? = nil) {
        guard let awaited = sessions[id]?.awaited else { return }
        sessions[id]?.awaited = nil
        if let rewinding { emit(rewinding.bytes, .rewound, in: id) }
        for event in awaited.events { emit(event.bytes, event.kind, in: id) }
        if !awaited.events.isEmpty { remember(id) }
    }
}
