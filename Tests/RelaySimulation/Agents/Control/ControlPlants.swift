import AgentClaude
import HostCore
import RelayProtocol

/// Faults planted in a `heliograph run`.
struct ControlPlants {
    let plant: Plant?
    private var lastPrompt: [UInt8]?
    /// Questions asked so far.
    private var asked: [String] = []
    private var copies = 0

    init(plant: Plant?) { self.plant = plant }

    /// False for a fact that is hidden from the program: that its agent has withdrawn a question (`deafToCancel`).
    mutating func lets(_ fact: ControlFact, _ request: String?) -> Bool {
        guard case .received(let bytes) = fact, let request else { return true }
        if bytes.starts(with: #"{"type":"control_cancel_request""#.utf8) { return plant != .deafToCancel }
        if bytes.starts(with: #"{"type":"control_request""#.utf8) { asked.append(request) }
        return true
    }

    /// The line, changed to answer the previous question (`strangersPermission`).
    mutating func altered(_ line: [UInt8]) -> [UInt8] {
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix(#"{"type":"user""#) { lastPrompt = line }
        guard plant == .strangersPermission, text.contains(#""behavior":"allow""#),
            let place = asked.firstIndex(where: { text.contains(#""\#($0)""#) }), place > 0
        else { return line }
        return Array(text.replacing(asked[place], with: asked[place - 1]).utf8)
    }

    /// The last prompt again, under an id that the agent does not know (`promptAgain`).
    mutating func lineAfterAbsence() -> [UInt8]? {
        guard plant == .promptAgain, let lastPrompt,
            let root = (try? JSONDocument(parsing: Array(lastPrompt.dropLast())))?.root,
            let uuid = root.text("uuid")
        else { return nil }
        copies += 1
        return Array(String(decoding: lastPrompt, as: UTF8.self).replacing(uuid, with: "again-\(copies)").utf8)
    }
}
