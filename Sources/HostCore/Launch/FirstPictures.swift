internal import RelayProtocol

/// The pictures of sessions that clients started. The command that has them is an event of the session that represents the host; in
/// their own they are with the person's first words.
struct FirstPictures {
    private var waiting: [SessionID: [Picture]] = [:]

    /// The first prompt of a session that has just been started.
    mutating func began(_ request: SteeringRequest) {
        if case .prompt(let prompt) = request.action, !prompt.pictures.isEmpty { waiting[request.session] = prompt.pictures }
    }

    /// Its first prompt has an end, or it has one itself: what is said later has other pictures, or none.
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
        // A text that fills an event by itself stays whole.
        guard whole.bytes.count <= WireLimits.eventBytesMax else { return effect }
        return .emit(session, whole.bytes, isKept: isKept)
    }
}
