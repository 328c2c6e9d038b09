internal import HostCore
internal import RelayProtocol

/// Joins the pieces in which messages come.
struct SpeechGatherer {
    private struct Message {
        let role: MessageRole
        let id: String?
        var text: String
    }

    private let limits: ACPLimits
    private var current: Message?
    private var hasBegun = false

    init(limits: ACPLimits) { self.limits = limits }

    /// Adds a piece, and ends the message before it if the piece belongs to another. Returns the ended message.
    mutating func take(_ role: MessageRole, _ id: String?, _ text: String) -> Told? {
        // OpenHands begins each conversation with its whole system prompt, as a thought.
        let isSystemPrompt = role == .thought && !hasBegun && text.hasPrefix("System Prompt:")
        hasBegun = true
        guard !isSystemPrompt else { return nil }
        var told: Told?
        if current?.role != role || current?.id != id {
            told = finish()
            current = Message(role: role, id: id, text: "")
        }
        let room = limits.texts.messageBytes - (current?.text.utf8.count ?? 0)
        if room > 0 { current?.text += TextCut.rough(text, bytesMax: room) }
        return told
    }

    /// Ends the current message, because another event comes or the turn is over. Returns it.
    mutating func finish() -> Told? {
        defer { current = nil }
        guard let current, !TextCut.trim(current.text).isEmpty else { return nil }
        return Self.told(current.role, current.text, id: current.id, limits)
    }

    static func told(_ role: MessageRole, _ text: String, id: String? = nil, _ limits: ACPLimits) -> Told {
        let shown = TextCut.fit(text, bytesMax: limits.texts.messageBytes).text
        let summary = TextCut.line(shown, bytesMax: limits.texts.summaryBytes)
        let name = id.map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }
        let head = EventHead.message(
            role, summary: summary.isEmpty ? nil : summary, message: name?.isEmpty == false ? name : nil)
        return Told(head) { $0.field("text", shown) }
    }
}
