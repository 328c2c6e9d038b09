import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

/// A typing machine and a test that carries out its orders; records them, one short line each.
struct TypingBench {
    static let session = SessionID("claude-s")!

    private(set) var machine = TypingMachine()
    private(set) var now: Int64 = 10_000
    private(set) var offer: SteeringOffer?
    private(set) var lines: [String] = []

    /// Idle, with an empty input line.
    init(mode: String? = "default") {
        machine = TypingMachine(mode: mode)
        tell(.opened)
        tell(.does(.idle))
        shows([""])
        _ = take()
    }

    mutating func tell(_ fact: TypingFact) {
        for order in machine.handle(fact, at: now) { note(order) }
    }

    mutating func pass(_ milliseconds: Int64) {
        let end = now + milliseconds
        while let due = machine.nextDeadline, due <= end {
            now = max(now, due)
            tell(.timerFired)
        }
        now = end
    }

    mutating func shows(_ rows: [String], isStashUsed: Bool = false, mode: String? = nil) {
        var box = PromptBox(rows: rows)
        box.isStashUsed = isStashUsed
        box.mode = mode
        tell(.shows(box))
    }

    mutating func shows(isInTurn: Bool, isInBackground: Bool = false) {
        var box = PromptBox(rows: [""])
        (box.isInTurn, box.isInBackground) = (isInTurn, isInBackground)
        tell(.shows(box))
    }

    mutating func steer(_ action: SteeringAction, _ id: String) {
        let by = Named<ClientTag>(id: ClientID("phone")!, name: "Ada")
        tell(.steered(SteeringRequest(command: CommandID(id)!, session: Self.session, by: by, action: action)))
    }

    mutating func prompt(_ text: String, _ id: String, isCommand: Bool = false) {
        steer(.prompt(.init(text: text, isCommand: isCommand)), id)
    }

    mutating func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    private mutating func note(_ order: TypingOrder) {
        switch order {
        case .write(let bytes): lines.append("type " + Self.spelled(bytes))
        case .hold: lines.append("hold")
        case .release: lines.append("release")
        case .answer(_, let refusal): lines.append(refusal == nil ? "let go on" : "give back")
        case .followTranscript: lines.append("follow")
        case .stand(let offer, let standing):
            self.offer = offer
            lines.append(standing.rawValue)
        case .tell(let change):
            lines.append("\(change.name.command.rawValue) \(change.stage.rawValue)" + (change.reason.map { ": \($0)" } ?? ""))
        case .hangUp: lines.append("hang up")
        case .kill: lines.append("kill")
        }
    }

    private static func spelled(_ bytes: [UInt8]) -> String {
        switch bytes {
        case [0x0D]: return "Enter"
        case [0x1B]: return "Esc"
        case [0x13]: return "Ctrl-S"
        case Array("\u{1B}[Z".utf8): return "Shift-Tab"
        case let keys where keys.allSatisfy({ $0 == 0x15 }): return "Ctrl-U ×\(keys.count)"
        default:
            return String(decoding: bytes, as: UTF8.self).replacing("\u{1B}[200~", with: "‹").replacing(
                "\u{1B}[201~", with: "›")
        }
    }
}
