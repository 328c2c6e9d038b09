import HostCore
import RelayProtocol

@testable import AgentACP

extension ACPBench {
    static let vibeModes =
        #""modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"accept-edits","name":"Accept Edits"}]}"#
    static let vibeOptions = #""configOptions":"# + options(mode: "ask")

    static func options(mode: String = "ask", model: String = "fake") -> String {
        #"[{"id":"mode","category":"mode","type":"select","currentValue":"\#(mode)","options":[{"value":"ask","name":"Ask"},"#
            + #"{"value":"accept-edits","name":"Accept Edits"}]},{"id":"model","category":"model","type":"select","currentValue":"\#(model)","#
            + #""options":[{"value":"fake","name":"Fake"},{"value":"other","name":"Other"}]}]"#
    }

    /// Opens an idle session. `modes` is added to the response beside its id.
    mutating func open(_ modes: String = "") {
        editor(#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/home/dev/proj","mcpServers":[]}}"#)
        agent(#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"\#(Self.session)"\#(modes.isEmpty ? "" : ",")\#(modes)}}"#)
        toAgent = []
        toEditor = []
    }

    static func prompt(_ id: String, _ text: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"session/prompt","params":{"sessionId":"\#(session)","#
            + #""prompt":[{"type":"text","text":"\#(text)"}]}}"#
    }

    static let cancel = #"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"\#(session)"}}"#
    static func own(_ number: Int) -> String { "\"heliograph-run1-\(number)\"" }
    static func cancelled(_ id: String) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":{"stopReason":"cancelled"}}"# }

    mutating func ends(_ id: String, _ reason: String = "end_turn") {
        agent(#"{"jsonrpc":"2.0","id":\#(id),"result":{"stopReason":"\#(reason)"}}"#)
    }

    mutating func echoes(_ text: String) {
        update(#"{"sessionUpdate":"user_message_chunk","messageId":"m","content":{"type":"text","text":"\#(text)"}}"#)
    }

    mutating func says(_ text: String) {
        update(#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\#(text)"}}"#)
    }

    mutating func steer(_ command: String, _ action: SteeringAction) {
        let request = SteeringRequest(
            command: CommandID(command)!, session: SessionID("local-\(Self.session)")!,
            by: Named(id: ClientID("phone")!, name: "Ada's phone"), action: action)
        take(.steered(SessionID(Self.session)!, request))
    }

    mutating func prompt(_ command: String, _ text: String) { steer(command, .prompt(SteeringAction.Prompt(text: text))) }

    var standing: SteeringStanding? { stands.last?.stand?.standing }
    func stages(_ command: String) -> [SteeringStage] { changes.filter { $0.name.command.rawValue == command }.map(\.stage) }
    func reason(_ command: String) -> String { changes.last { $0.name.command.rawValue == command }?.reason ?? "" }
}
