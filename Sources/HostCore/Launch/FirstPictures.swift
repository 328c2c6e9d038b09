internal import RelayProtocol

/// The pictures of sessions that clients started. The command that carries them is an event of the host's own session; in the
/// started session they are shown with the person's first words.
struct FirstPictures {
    private var waiting: [SessionID: [Picture]] = [:]

    /// Keeps the pictures of the first prompt of a session that was just started.
    mutating func began(_ request: SteeringRequest) {
        if case .prompt(let prompt) = request.action, !prompt.pictures.isEmpty { waiting[request.session] = prompt.pictures }
    }

    /// Forgets the session's pictures, because its first prompt or the session ended: later prompts have other pictures, or none.
    mutating func over(_ session: SessionID) { waiting[session] = nil }

    /// An agent's orders, with the pictures added to the event of their prompt.
    mutating func shown(in effects: [AgentEffect<any Sendable>]) -> [AgentEffect<any Sendable>] {
        waiting.isEmpty ? effects : effects.map { shown(in: $0) }
    }

    private mutating func shown(in effect: AgentEffect<any Sendable>) -> AgentEffect<any Sendable> {
        guard case .emit(let session, let bytes, let isKept) = effect, let pictures = waiting[session],
            let event = try? Event(stored: bytes), case .message(.user, _, _, agent: nil) = event.head,
            let text = (try? JSONDocument(parsing: bytes).root)?.optional("body")?.text("text")
        else { return effect }
        waiting[session] = nil
        let whole = Event(event.head, at: event.at) {
            $0.field("text", text)
            $0.array("pictures", pictures.map(\.named))
        }
        // An event that its text fills completely goes without the pictures.
        guard whole.bytes.count <= WireLimits.eventBytesMax else { return effect }
        return .emit(session, whole.bytes, isKept: isKept)
    }
}
