import Foundation
import HostCore
import RelayProtocol

@testable import AgentACP

/// A proxy between an editor and an agent, both simulated by a test. Collects the lines of each side, the reports and the
/// questions.
struct ACPBench {
    var machine: ACPProxyMachine
    var now = HostInstant(wall: 1_000, monotonic: 0)
    var toAgent: [UInt8] = []
    var toEditor: [UInt8] = []
    var events: [(session: SessionID, event: Event)] = []
    var outputs: [String] = []
    var asked: [ACPQuestion] = []
    var withdrawn: [ApprovalID] = []
    var leftToEditor: [String] = []
    var settled: [(approval: ApprovalID, outcome: ACPOutcome)] = []
    var stands: [(session: SessionID, stand: ACPStand?)] = []
    var changes: [SteeringChange] = []
    var turnsFromAfar: [String] = []
    var leaves = 0

    static let session = "48c3824c-3f6f-8f44-225f-c4a025c0f6a2"

    init(takesPrompts: Bool = true, isAlone: Bool = false, limits: ACPLimits = ACPLimits()) {
        machine = ACPProxyMachine(
            run: "run1", agentName: "agent", takesPrompts: takesPrompts, isAlone: isAlone, limits: limits)
    }

    mutating func take(_ fact: ACPFact) {
        now.wall += 1
        now.monotonic += 1
        for order in machine.handle(fact, at: now) {
            switch order {
            case .toAgent(let bytes): toAgent += bytes
            case .toEditor(let bytes): toEditor += bytes
            case .tell(let session, let event): events.append((session, event))
            case .show(_, let call, let text): outputs.append("\(call): \(text)")
            case .ask(let question): asked.append(question)
            case .leftToEditor(let request): leftToEditor.append(String(decoding: request, as: UTF8.self))
            case .withdraw(let approval): withdrawn.append(approval)
            case .settled(_, let approval, let outcome): settled.append((approval, outcome))
            case .stands(let session, let stand): stands.append((session, stand))
            case .steered(_, let change): changes.append(change)
            case .leave: leaves += 1
            case .turnFromAfarBegan(let text): turnsFromAfar.append("began \(text)")
            case .turnFromAfarEnded: turnsFromAfar.append("ended")
            }
        }
    }

    /// Advances to the machine's next deadline; false if there is none.
    @discardableResult
    mutating func wait() -> Bool {
        guard let due = machine.nextDeadline else { return false }
        now.wall += max(0, due - now.monotonic)
        now.monotonic = max(now.monotonic, due)
        take(.waited)
        return true
    }

    mutating func editor(_ line: String) { take(.fromEditor(Array((line + "\n").utf8))) }
    mutating func agent(_ line: String) { take(.fromAgent(Array((line + "\n").utf8))) }

    /// Opens a session with one call that has begun, as Vibe reports it.
    mutating func begin(
        call: String = "effect-1", input: String = #"{"command":"rm -rf build"}"#, title: String = "bash: rm -rf build"
    ) {
        editor(#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}"#)
        agent(#"{"jsonrpc":"2.0","id":1,"result":{"agentInfo":{"name":"vibe","title":"Vibe","version":"3.0.2"}}}"#)
        editor(#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/home/dev/proj","mcpServers":[]}}"#)
        agent(#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"\#(Self.session)"}}"#)
        editor(
            #"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"\#(Self.session)","#
                + #""prompt":[{"type":"text","text":"clean up"}]}}"#)
        start(call: call, input: input, title: title)
    }

    mutating func start(call: String, input: String, title: String) {
        update(
            #"{"sessionUpdate":"tool_call","toolCallId":"\#(call)","title":"\#(title)","kind":"execute","#
                + #""status":"in_progress","rawInput":\#(input),"_meta":{"tool_name":"bash"}}"#)
    }

    mutating func update(_ update: String) {
        agent(
            #"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"\#(Self.session)","update":\#(update)}}"#)
    }

    static let options = """
        [{"optionId":"allow_once","name":"Allow once","kind":"allow_once"},\
        {"optionId":"allow_always","name":"Allow for remainder of this session","kind":"allow_always"},\
        {"optionId":"allow_always_permanent","name":"Always allow","kind":"allow_always"},\
        {"optionId":"reject_once","name":"Deny","kind":"reject_once"}]
        """

    mutating func permission(
        id: String = "0", call: String = #"{"toolCallId":"effect-1"}"#, options: String = ACPBench.options
    ) {
        agent(
            #"{"jsonrpc":"2.0","id":\#(id),"method":"session/request_permission","params":{"sessionId":"\#(Self.session)","#
                + #""toolCall":\#(call),"options":\#(options)}}"#)
    }

    static let form =
        #"{"type":"object","properties":{"port":{"type":"integer","maximum":99},"sure":{"type":"boolean"}},"required":["port"]}"#

    mutating func elicitation(
        id: String = "0", scope: String = #""sessionId":"\#(ACPBench.session)","toolCallId":"effect-1""#, mode: String = "form",
        form: String = ACPBench.form
    ) {
        agent(
            #"{"jsonrpc":"2.0","id":\#(id),"method":"elicitation/create","params":{\#(scope),"mode":"\#(mode)","#
                + #""message":"Which port?","requestedSchema":\#(form)}}"#)
    }

    static func filledIn(_ content: String, id: String = "0") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":{"action":"accept","content":\#(content)}}"#
    }

    static func acted(_ action: String, id: String = "0") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":{"action":"\#(action)"}}"#
    }

    static func selected(_ option: String, id: String = "0") -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"result":{"outcome":{"outcome":"selected","optionId":"\#(option)"}}}"#
    }

    /// Lines that each side has received since the last call.
    mutating func takeAgentLines() -> [String] { Self.lines(&toAgent) }
    mutating func takeEditorLines() -> [String] { Self.lines(&toEditor) }

    private static func lines(_ bytes: inout [UInt8]) -> [String] {
        defer { bytes = [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Reported events, in a few words each.
    var told: [String] {
        events.map { entry in
            switch entry.event.head {
            case .message(let role, let summary, _, _): "\(role) \(summary ?? "")"
            case .toolStarted(let start): "started \(start.tool): \(start.operation)"
            case .toolFinished(let finish): "finished \(finish.tool) \(finish.succeeded)"
            case .fileChanged(let path, let added, let removed, _): "changed \(path) +\(added) -\(removed)"
            case .todoChanged(let progress): "todo \(progress.completed)/\(progress.total) \(progress.current ?? "")"
            case .usage(let usage): "usage \(usage.costMicroUSD ?? 0) \(usage.contextUsed ?? 0)"
            case .statusChanged(let status, let reason): "status \(status)\(reason.map { " " + $0 } ?? "")"
            case .sessionStarted(let facts): "session \(facts.agentName) \(facts.project ?? "")"
            case .sessionRenamed(let title): "renamed \(title)"
            case .sessionEnded(let reason, let failed): "ended \(reason ?? "") \(failed)"
            case .error(let message, _): "error \(message)"
            default: entry.event.head.kind
            }
        }
    }

    // MARK: Recorded conversations

    struct Recorded {
        var isFromEditor: Bool
        var line: [UInt8]
    }

    static func recorded(_ name: String) throws -> [Recorded] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/\(name).jsonl")
        return try [UInt8](Data(contentsOf: file)).split(separator: UInt8(ascii: "\n")).map { line in
            let root = try JSONDocument(parsing: Array(line)).root
            return Recorded(
                isFromEditor: try root.string("from") == "editor",
                line: Array(try root.object("message").bytes) + [UInt8(ascii: "\n")])
        }
    }

    /// Plays a recorded line. A person at the editor takes longer than the machine waits.
    mutating func play(_ entry: Recorded) {
        if entry.isFromEditor { wait() }
        take(entry.isFromEditor ? .fromEditor(entry.line) : .fromAgent(entry.line))
    }
}
