internal import HostCore
internal import RelayProtocol

/// The replacement of an editor: one session with an agent, at a terminal or for one prompt.
///
/// It is in front of `ACPProxyMachine` like an editor, so that its questions and answers take the same paths. Without a terminal
/// only clients can be asked; a question that they do not decide is denied.
package struct ACPClientMachine: Sendable {
    package enum Fact: Sendable {
        case started
        /// A line from the agent.
        case received([UInt8])
        /// A client can answer this question too; it was in the line before.
        case asked(ACPQuestion)
        /// No client answers this request.
        case leftToUs([UInt8])
        case typed(String)
        /// A client has given the agent a prompt.
        case turnFromAfarBegan(String)
        case turnFromAfarEnded
        /// A client ends the session.
        case endedFromAfar
    }

    package enum Order: Sendable, Equatable {
        /// A line for the agent.
        case send([UInt8])
        case show(String)
        case finished(failed: Bool)
    }

    private enum Phase: Equatable { case initializing, opening, idle, running, runningFromAfar, over }

    private struct Permission {
        let id: [UInt8]
        let title: String
        let options: [ACPQuestion.Option]
        /// The form with its next field; nil for a permission.
        var form: FormFilling?
        /// Number of its first choice, which the others follow; nil until it is shown.
        var firstNumber: Int?

        var choices: [String] { form?.choices ?? options.map(\.name) }

        /// The answer without a decision.
        var refusal: PermissionChoice {
            form == nil ? PermissionChoice(ACPVerdict(allows: false), among: options) : .dismissed
        }

        func has(_ number: Int) -> Bool {
            guard let firstNumber else { return false }
            return (firstNumber..<firstNumber + choices.count).contains(number)
        }
    }

    /// Permissions that are open at a time; agents ask one after the other.
    private static let permissionsMax = 16
    /// Lines that were typed while the agent was working.
    private static let waitingMax = 16

    private let directory: String
    private let version: String
    /// The single prompt; nil if lines are typed.
    private let prompt: String?
    private let hasTerminal: Bool
    private var phase = Phase.initializing
    private var number: Int64 = 0
    private var session = ""
    private var permissions: [Permission] = []
    /// Number of the last option. No number is used twice in a turn: a typed one may be for a question that a client has answered
    /// meanwhile.
    private var lastNumber = 0
    private var isInLine = false
    /// Prompts that were typed while the agent was working, in their order.
    private var waiting: [String] = []
    private var orders: [Order] = []

    package init(directory: String, version: String, prompt: String?, hasTerminal: Bool) {
        self.directory = directory
        self.version = version
        self.prompt = prompt
        self.hasTerminal = hasTerminal
    }

    package mutating func handle(_ fact: Fact) -> [Order] {
        switch fact {
        case .started:
            let version = version
            request("initialize") { writer in
                writer.field("protocolVersion", 1)
                writer.object("clientCapabilities") {
                    $0.object("fs") {
                        $0.field("readTextFile", false)
                        $0.field("writeTextFile", false)
                    }
                    $0.field("terminal", false)
                    $0.object("elicitation") { $0.object("form") { _ in } }
                }
                writer.object("clientInfo") {
                    $0.field("name", "heliograph")
                    $0.field("version", version)
                }
            }
        case .received(let line): received(line)
        case .asked(let question):
            guard let place = permissions.firstIndex(where: { $0.id == question.request }) else { break }
            show(place, question.title, question.isForm ? nil : String(decoding: question.input, as: UTF8.self))
        case .leftToUs(let id):
            guard let place = permissions.firstIndex(where: { $0.id == id }) else { break }
            if hasTerminal {
                if permissions[place].firstNumber == nil { show(place, permissions[place].title, nil) }
            } else {
                let isForm = permissions[place].form != nil
                answer(place, permissions[place].refusal)
                say(isForm ? "Not answered: nobody was there." : "Denied: nobody decided.")
            }
        case .typed(let line): typed(line)
        case .turnFromAfarBegan(let text):
            guard phase == .idle else { break }
            phase = .runningFromAfar
            lastNumber = 0
            say("From a client: \(VisibleText.prose(text))")
        case .turnFromAfarEnded:
            guard phase == .runningFromAfar else { break }
            permissions = []
            rest()
        case .endedFromAfar:
            guard phase != .over else { break }
            permissions = []
            say("Ended by a client.")
            finish(failed: false)
        }
        defer { orders = [] }
        return orders
    }

    // MARK: From the agent

    private mutating func received(_ line: [UInt8]) {
        let exact = RPCMessage(line)
        switch exact ?? RPCMessage(repairing: line) {
        case .response(_, let result, let failure): answered(result, failure)
        case .notification("session/update", let params): updated(params?.optional("update"))
        case .notification("$/cancel_request", let params):
            guard let id = params?.optional("requestId").map({ Array($0.bytes) }) else { return }
            guard let place = permissions.firstIndex(where: { $0.id == id }) else { return }
            permissions.remove(at: place)
            say("Decided by a client.")
        case .request(let id, "session/request_permission", let params):
            // A request that two readers could understand differently must not be allowed.
            guard exact != nil, permissions.count < Self.permissionsMax, let request = PermissionRequest(params, optionsMax: 64)
            else { return send(PermissionChoice.cancelled.answer(to: id)) }
            let title = request.call.text("title") ?? "The agent asks for something that it does not name."
            permissions.append(Permission(id: id, title: title, options: request.options))
        case .request(let id, FormRequest.method, let params):
            guard exact != nil, permissions.count < Self.permissionsMax, let request = FormRequest(params) else {
                say("The agent asked for something that cannot be answered here: it is told so.")
                return send(PermissionChoice.dismissed.answer(to: id))
            }
            permissions.append(
                Permission(id: id, title: request.form.message, options: [], form: FormFilling(request.form)))
        case .request(let id, _, _):
            send(
                JSONWriter.object { writer in
                    writer.field("jsonrpc", "2.0")
                    writer.raw("id", id)
                    writer.object("error") {
                        $0.field("code", -32601)
                        $0.field("message", "this client has no such method")
                    }
                } + [UInt8(ascii: "\n")])
        case .notification, nil: break
        }
    }

    private mutating func answered(_ result: JSONValue?, _ failure: String?) {
        if let failure {
            say("The agent refuses: \(VisibleText.prose(failure))")
            if phase != .running || prompt != nil { return finish(failed: true) }
            return rest()
        }
        switch phase {
        case .initializing:
            phase = .opening
            let folder = directory
            request("session/new") {
                $0.field("cwd", folder)
                $0.array("mcpServers", [])
            }
        case .opening:
            guard let name = result?.text("sessionId") else {
                say("The agent opened no session.")
                return finish(failed: true)
            }
            session = name
            if let prompt { begin(prompt) } else { rest() }
        case .running:
            permissions = []
            let reason = result?.text("stopReason")
            if let reason, reason != "end_turn" { say("The turn ended: \(VisibleText.line(reason))") }
            if prompt != nil { return finish(failed: reason != "end_turn") }
            rest()
        case .idle, .runningFromAfar, .over: break
        }
    }

    private mutating func updated(_ update: JSONValue?) {
        guard let update else { return }
        switch update.text("sessionUpdate") {
        case "agent_message_chunk":
            guard let text = update.optional("content")?.text("text"), !text.isEmpty else { return }
            orders.append(.show(VisibleText.prose(text)))
            isInLine = text.utf8.last != UInt8(ascii: "\n")
        case "tool_call":
            if let title = update.text("title"), !title.isEmpty { say("• \(VisibleText.line(title))") }
        default: break
        }
    }

    // MARK: From the person

    private mutating func typed(_ line: String) {
        let words = TextCut.trim(line)
        if permissions.contains(where: { $0.firstNumber != nil }) {
            let parts = words.split(separator: " ", maxSplits: 1)
            let more = parts.count > 1 ? TextCut.trim(String(parts[1])) : nil
            guard let number = parts.first.flatMap({ Int($0) }),
                let place = permissions.firstIndex(where: { $0.has(number) }), let first = permissions[place].firstNumber,
                more == nil || permissions[place].form != nil
            else { return say("Type one of the numbers in front of an open question, please.") }
            guard permissions[place].form != nil else {
                return answer(place, .option(permissions[place].options[number - first].id))
            }
            return fillIn(place, number, first: first, more)
        }
        guard !words.isEmpty else { return }
        switch phase {
        case .idle: begin(line)
        // A number may be meant for a question that was answered meanwhile.
        case .running where prompt != nil || Int(words) != nil, .runningFromAfar where Int(words) != nil, .initializing,
            .opening:
            say("The agent is working; this line was not sent.")
        case .running, .runningFromAfar:
            guard waiting.count < Self.waitingMax else { return say("Too many lines wait already; this one was not sent.") }
            waiting.append(line)
            say("This waits until the agent is done.")
        case .over: break
        }
    }

    private mutating func show(_ place: Int, _ title: String, _ input: String?) {
        permissions[place].firstNumber = lastNumber + 1
        // The first question of a form begins with the agent's text about the whole form.
        say(permissions[place].form.map { VisibleText.exact($0.question.text) } ?? VisibleText.exactLine(title))
        if let input { say(VisibleText.exact(input)) }
        guard hasTerminal else { return say("Waiting for a client's decision.") }
        for choice in permissions[place].choices {
            lastNumber += 1
            say("  \(lastNumber)  \(VisibleText.line(choice))")
        }
    }

    private mutating func fillIn(_ place: Int, _ number: Int, first: Int, _ more: String?) {
        switch permissions[place].form?.take(number, first: first, more) {
        case .notTaken(let why): say(why)
        case .next: show(place, permissions[place].title, nil)
        case .filledIn(let content): answer(place, .filledIn(content))
        case .declined: answer(place, .declined)
        case nil: break
        }
    }

    private mutating func answer(_ place: Int, _ choice: PermissionChoice) {
        let permission = permissions.remove(at: place)
        send(choice.answer(to: permission.id))
    }

    // MARK: Helpers

    private mutating func begin(_ text: String) {
        phase = .running
        lastNumber = 0
        let name = session
        request("session/prompt") { writer in
            writer.field("sessionId", name)
            writer.array(
                "prompt",
                [
                    JSONWriter.object {
                        $0.field("type", "text")
                        $0.field("text", text)
                    }
                ])
        }
    }

    private mutating func rest() {
        phase = .idle
        endLine()
        if !waiting.isEmpty { return begin(waiting.removeFirst()) }
        if hasTerminal { orders.append(.show("> ")) }
        isInLine = false
    }

    private mutating func finish(failed: Bool) {
        guard phase != .over else { return }
        phase = .over
        endLine()
        orders.append(.finished(failed: failed))
    }

    private mutating func say(_ line: String) {
        endLine()
        orders.append(.show(line + "\n"))
    }

    private mutating func endLine() {
        if isInLine { orders.append(.show("\n")) }
        isInLine = false
    }

    private mutating func send(_ line: [UInt8]?) {
        if let line { orders.append(.send(line)) }
    }

    private mutating func request(_ method: String, _ params: (inout JSONWriter) -> Void) {
        number += 1
        let number = number
        send(
            JSONWriter.object { writer in
                writer.field("jsonrpc", "2.0")
                writer.field("id", number)
                writer.field("method", method)
                writer.object("params", params)
            } + [UInt8(ascii: "\n")])
    }
}
