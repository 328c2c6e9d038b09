import HeliographCrypto
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

/// Simulates Claude Code without a terminal, the person next to it and remote clients; records the orders, one short line each.
struct ControlBench {
    static let session = "2f1c7c5e-0d51-4c63-9c1e-7b0f3a6d2e11"
    private static let ready =
        #"{"type":"control_response","response":{"subtype":"success","request_id":"heliograph-1","response":{"commands":[{"name":"compact","builtin":true},{"name":"deploy"},{"name":"review"}],"models":[{"value":"default"},{"value":"haiku"}],"current_permission_mode":"MODE"}}}"#

    private(set) var control: ClaudeControl
    private(set) var now: Int64 = 1_000
    private(set) var offer: SteeringOffer?
    /// The ids of the prompts sent, the last one last.
    private(set) var uuids: [String] = []
    private var lines: [String] = []

    /// The control after the agent has stated what it offers.
    init(hasTerminal: Bool = true, mode: String = "default", isReady: Bool = true) {
        control = ClaudeControl(
            session: Self.session, seed: "seed", hasTerminal: hasTerminal,
            digests: Digests { Crypto.hex(Crypto.sha256($0)) })
        tell(.started)
        if isReady {
            write(Self.ready.replacing("MODE", with: mode))
            _ = take()
        }
    }

    // MARK: Facts

    mutating func tell(_ fact: ControlFact) {
        for order in control.handle(fact, at: now) { note(order) }
    }

    /// Writes one line of the agent.
    mutating func write(_ line: String) { tell(.received(Array((line + "\n").utf8))) }

    mutating func steer(_ action: SteeringAction, _ id: String) {
        let by = Named<ClientTag>(id: ClientID("phone")!, name: "Ada")
        tell(
            .steered(
                SteeringRequest(command: CommandID(id)!, session: SessionID("claude-s")!, by: by, action: action)))
    }

    mutating func prompt(_ text: String, _ id: String, isCommand: Bool = false) {
        steer(.prompt(.init(text: text, isCommand: isCommand)), id)
    }

    mutating func pass(_ duration: Duration) {
        now += duration.milliseconds
        if let due = control.nextDeadline, due <= now { tell(.timerFired) }
    }

    // MARK: What the agent says

    mutating func repeats(_ uuid: String? = nil) {
        write(#"{"type":"user","isReplay":true,"uuid":"\#(uuid ?? uuids.last ?? "")","message":{"role":"user","content":"x"}}"#)
    }
    mutating func result(_ rest: String = "") { write(#"{"type":"result","subtype":"success","is_error":false\#(rest)}"#) }
    mutating func lifecycle(_ state: String, _ uuid: String? = nil) {
        write(#"{"type":"command_lifecycle","command_uuid":"\#(uuid ?? uuids.last ?? "")","state":"\#(state)"}"#)
    }
    mutating func asks(_ id: String = "p1", _ tool: String = "Bash", _ input: String = #"{"command":"ls"}"#) {
        write(
            #"{"type":"control_request","request_id":"\#(id)","request":{"subtype":"can_use_tool","tool_name":"\#(tool)","input":\#(input)}}"#
        )
    }
    mutating func elicits(_ id: String = "e1", _ form: String) {
        write(
            #"{"type":"control_request","request_id":"\#(id)","request":{"subtype":"elicitation","mcp_server_name":"deploy","message":"Ship?","mode":"form","requested_schema":\#(form)}}"#
        )
    }
    mutating func responds(_ number: Int, _ rest: String = #""subtype":"success","response":{}"#) {
        write(#"{"type":"control_response","response":{"request_id":"heliograph-\#(number)",\#(rest)}}"#)
    }

    // MARK: Orders

    mutating func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    private mutating func note(_ order: ControlOrder) {
        switch order {
        case .send(let bytes): lines.append(sent(bytes))
        case .closeInput: lines.append("close")
        case .terminate: lines.append("terminate")
        case .kill: lines.append("kill")
        case .show(let text):
            if text != "> " { lines.append("| " + text.split(separator: "\n").joined(separator: " / ")) }
        case .stand(let offer, let standing):
            if offer != self.offer { lines.append("offers " + offer.actions.map(\.rawValue).sorted().joined(separator: " ")) }
            self.offer = offer
            lines.append(standing.rawValue)
        case .spent(let line): lines.append("spent \(String(decoding: line, as: UTF8.self))")
        case .ask(let request, let payload): lines.append("ask \(request) \(String(decoding: payload, as: UTF8.self))")
        case .askNoMore(let request): lines.append("ask no more \(request)")
        case .tell(let change):
            lines.append(
                "\(change.name.command.rawValue) \(change.stage.rawValue)" + (change.reason.map { ": \($0)" } ?? ""))
        }
    }

    private mutating func sent(_ bytes: [UInt8]) -> String {
        guard bytes.last == UInt8(ascii: "\n"), let root = try? JSONDocument(parsing: Array(bytes.dropLast())).root else {
            return "NO LINE"
        }
        switch root.text("type") {
        case "user":
            uuids.append(root.text("uuid") ?? "")
            return "> " + (root.optional("message")?.text("content") ?? "?")
        case "control_request":
            let request = root.optional("request")
            let word = request?.text("mode") ?? request?.text("model")
            return "> " + (request?.text("subtype") ?? "?") + (word.map { " \($0)" } ?? "")
        case "control_response":
            let response = root.optional("response")
            let said = response?.optional("response")
            let words =
                said?.text("message") ?? said?.optional("updatedInput").map { String(decoding: $0.bytes, as: UTF8.self) }
            if let action = said?.text("action") {
                let content = said?.optional("content").map { " " + String(decoding: $0.bytes, as: UTF8.self) }
                return "> \(action) \(response?.text("request_id") ?? "?")\(content ?? "")"
            }
            let what = said?.text("behavior") ?? "error"
            return "> \(what) \(response?.text("request_id") ?? "?") \(words ?? response?.text("error") ?? "")"
        default: return "NO LINE"
        }
    }
}
