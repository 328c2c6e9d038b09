package import HostCore
internal import RelayProtocol

/// `heliograph mcp`: an MCP server whose tools reach a person through the daemon's local protocol. Pure.
///
/// It speaks both kinds of versions, those that begin with `initialize` and the stateless ones. A call is answered when a person
/// has decided; until then its client gets progress. If nobody can be asked, the client's own form is used, if it has one;
/// otherwise the call ends with an error. Only a person's yes is ever an allow.
package struct MCPMachine {
    package enum Fact: Sendable {
        /// One line of the client.
        case received([UInt8])
        /// A line longer than `MCPLimits.lineBytesMax`; none of it was kept.
        case receivedTooMuch
        case answered(Int, Reply)
        /// `nextDeadline` has passed.
        case waited
        /// The client has hung up.
        case closed
    }

    /// The daemon's reply to a call's request.
    package enum Reply: Sendable {
        case done([UInt8])
        case undecided
        /// Refused, with the daemon's reason.
        case refused(String)
        case unreachable
    }

    package enum Order: Equatable, Sendable {
        /// One line to the client.
        case send([UInt8])
        /// Asks the daemon; `answered` reports its reply to this call.
        case ask(Int, [UInt8])
        /// Closes the connection on which this call is asked.
        case withdraw(Int)
        /// Reports to the daemon, after all earlier reports. With a call, `answered` reports the reply.
        case post(Int?, String, [UInt8])
    }

    private struct Call {
        let id: [UInt8]
        let client: MCPClient
        let wish: MCPWish
        /// The tool and its arguments, byte for byte.
        let bytes: [UInt8]
        /// The question's name at the daemon; nil if nothing is asked.
        var approval: String?
        let beganAt: HostInstant
        /// The token for notifications of progress; nil if the client wants none.
        let progressToken: [UInt8]?
        var progressAt: Int64
        var progressCount: Int64 = 0
        /// The form that the client shows instead; nil if clients of the relay are asked.
        var form: MCPForm?

        /// True if the daemon has the question.
        var isAsked: Bool { approval != nil && form == nil }
    }

    private enum Failure: Int64 {
        case badJSON = -32_700
        case badRequest = -32_600
        case noSuchMethod = -32_601
        case badParameters = -32_602
        case unsupportedVersion = -32_022
    }

    private let limits: MCPLimits
    private let session: MCPSession
    private let version: String
    private var client = MCPClient()
    private var calls: [Int: Call] = [:]
    private var callCount = 0
    /// Forms given to stateless clients, which return them with the same call.
    private var forms: [(state: String, bytes: [UInt8], form: MCPForm)] = []
    private var formCount = 0
    private var hasBegun = false
    private var orders: [Order] = []

    /// `session`: a name that no other run has. `folder`: the one in which the client started this program.
    package init(session: String, folder: String, version: String, waitSeconds: Int64, limits: MCPLimits = MCPLimits()) {
        self.session = MCPSession(name: session, folder: folder, waitSeconds: waitSeconds)
        self.version = version
        self.limits = limits
    }

    /// The next deadline, on the monotonic clock.
    package var nextDeadline: Int64? {
        calls.values.filter { $0.progressToken != nil && $0.isAsked }.map(\.progressAt).min()
    }

    package mutating func handle(_ fact: Fact, at now: HostInstant) -> [Order] {
        switch fact {
        case .received(let line): received(line, now)
        case .receivedTooMuch: fail(Self.null, .badRequest, "a line has at most \(MCPLimits.lineBytesMax) bytes")
        case .answered(let number, let reply): answered(number, reply, now)
        case .waited: for number in calls.keys.sorted() { showProgress(number, now) }
        case .closed: close()
        }
        defer { orders = [] }
        return orders
    }

    // MARK: - Messages

    private static let null = Array("null".utf8)

    private mutating func received(_ line: [UInt8], _ now: HostInstant) {
        guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { return }
        let root: JSONValue
        do throws(WireError) { root = try JSONDocument(parsing: line).root } catch {
            return fail(Self.null, .badJSON, "\(error.path): \(error.message)")
        }
        // A batch of version 2025-03-26, in which each message is answered separately.
        if let messages = try? root.array() {
            guard (1...limits.batchMax).contains(messages.count) else {
                return fail(Self.null, .badRequest, "$: a batch has 1 to \(limits.batchMax) messages")
            }
            return messages.forEach { received(message: $0, now) }
        }
        received(message: root, now)
    }

    private mutating func received(message root: JSONValue, _ now: HostInstant) {
        guard root.isObject else { return fail(Self.null, .badRequest, "\(root.path): a message is one object") }
        guard let method = (try? root.optionalString("method")) ?? nil else { return receivedAnswer(root, now) }
        let parameters = root.optional("params")
        guard let id = root.optional("id") else { return noticed(method, parameters) }
        guard id.isString || (try? id.integer()) != nil else {
            return fail(Self.null, .badRequest, "\(id.path): this is neither a text nor a whole number")
        }
        requested(method, parameters, Array(id.bytes), now)
    }

    private mutating func noticed(_ method: String, _ parameters: JSONValue?) {
        guard method == "notifications/cancelled", let parameters, parameters.isObject,
            let id = parameters.optional("requestId").map({ Array($0.bytes) }),
            let number = calls.first(where: { $0.value.id == id })?.key
        else { return }
        // The client wants no answer.
        guard let call = calls.removeValue(forKey: number) else { return }
        if call.form != nil { retractForm(number) } else if call.isAsked { orders.append(.withdraw(number)) }
    }

    private mutating func requested(_ method: String, _ parameters: JSONValue?, _ id: [UInt8], _ now: HostInstant) {
        guard parameters?.isObject != false else { return fail(id, .badParameters, "$.params: this is no object") }
        var client = client
        if let stateless = MCPClient(meta: parameters?.optional("_meta")) {
            let wanted = parameters?.optional("_meta")?.optional("io.modelcontextprotocol/protocolVersion")
            guard let text = try? wanted?.string(), MCPClient.statelessVersions.contains(text) else {
                let data = JSONWriter.object {
                    $0.strings("supported", MCPClient.statelessVersions)
                    if let wanted { $0.raw("requested", wanted.bytes) }
                }
                return fail(id, .unsupportedVersion, "this version is not spoken here", data)
            }
            client = stateless
        }
        switch method {
        case "initialize": greet(parameters, id)
        case "server/discover": discover(id)
        case "ping": succeed(id, client) { _ in }
        case "tools/list":
            succeed(id, client) {
                $0.array("tools", MCPTool.allCases.map(\.description))
                if client.isStateless { Self.writeCaching(&$0) }
            }
        case "tools/call": call(parameters, id, client, now)
        default: fail(id, .noSuchMethod, "there is no method of this name")
        }
    }

    private mutating func greet(_ parameters: JSONValue?, _ id: [UInt8]) {
        guard let parameters else { return fail(id, .badParameters, "$.params: this is missing") }
        client = MCPClient(greeting: parameters)
        let wanted = (try? parameters.optionalString("protocolVersion")) ?? nil
        let versions = MCPClient.handshakeVersions
        let serverInfo = serverInfo
        succeed(id, client) {
            $0.field("protocolVersion", wanted.flatMap { versions.contains($0) ? $0 : nil } ?? versions[versions.count - 1])
            $0.object("capabilities") { $0.object("tools") { _ in } }
            $0.raw("serverInfo", serverInfo)
            $0.field("instructions", Self.instructions)
        }
    }

    private mutating func discover(_ id: [UInt8]) {
        var client = MCPClient()
        client.isStateless = true
        let serverInfo = serverInfo
        succeed(id, client) {
            $0.strings("supportedVersions", MCPClient.statelessVersions)
            $0.object("capabilities") { $0.object("tools") { _ in } }
            $0.field("instructions", Self.instructions)
            Self.writeCaching(&$0)
            $0.object("_meta") { $0.raw("io.modelcontextprotocol/serverInfo", serverInfo) }
        }
    }

    private static let instructions =
        "Reaches the person who is responsible for this work, on their phone or screen, also when nobody is at this machine. Answers can take minutes."

    private var serverInfo: [UInt8] {
        JSONWriter.object {
            $0.field("name", "heliograph")
            $0.field("version", version)
        }
    }

    private static func writeCaching(_ result: inout JSONWriter) {
        result.field("ttlMs", 0)
        result.field("cacheScope", "private")
    }

    // MARK: - Calls

    private mutating func call(_ parameters: JSONValue?, _ id: [UInt8], _ client: MCPClient, _ now: HostInstant) {
        guard let parameters, let name = try? parameters.string("name") else {
            return fail(id, .badParameters, "$.params.name: this is missing")
        }
        guard let tool = MCPTool(rawValue: name) else {
            return fail(id, .badParameters, "$.params.name: there is no such tool")
        }
        guard !calls.values.contains(where: { $0.id == id }) else {
            return fail(id, .badRequest, "$.id: another call has this id")
        }
        let wish: MCPWish
        let arguments: JSONValue
        do throws(WireError) {
            arguments = try parameters.required("arguments")
            wish = try MCPWish(tool, from: arguments)
        } catch {
            return finish(id, client, Self.failure(tool, "\(error.path): \(error.message)"), isError: true)
        }
        guard calls.count < limits.callsMax else {
            return finish(id, client, Self.failure(tool, "\(limits.callsMax) calls wait already"), isError: true)
        }
        let bytes = Array(name.utf8) + arguments.bytes
        if answeredForm(parameters, bytes, wish, id, client) { return }
        begin(client)
        callCount += 1
        let number = callCount
        let token = parameters.optional("_meta").flatMap { $0.isObject ? $0.optional("progressToken") : nil }
        var call = Call(
            id: id, client: client, wish: wish, bytes: bytes, beganAt: now, progressToken: token.map { Array($0.bytes) },
            progressAt: now.monotonic)
        switch wish {
        case .approve(let tool, let input, let name):
            let approval = name ?? "call-\(number)"
            call.approval = approval
            orders.append(.ask(number, session.approval(approval, tool: tool, input: input, by: client)))
        case .ask(let text, let choices, let isMultiple, let choicesOnly):
            let approval = "call-\(number)"
            call.approval = approval
            let body = session.question(
                approval, text, choices: choices, isMultiple: isMultiple, choicesOnly: choicesOnly, by: client)
            orders.append(.ask(number, body))
        case .notify(let message, let isError):
            orders.append(.post(number, "events", session.notice(message, isError: isError)))
        case .progress(let completed, let total, let current):
            orders.append(.post(number, "events", session.progress(completed: completed, total: total, current: current)))
        }
        calls[number] = call
        showProgress(number, now)
    }

    private mutating func answered(_ number: Int, _ reply: Reply, _ now: HostInstant) {
        guard let call = calls[number], call.form == nil else { return }
        switch (reply, call.wish) {
        case (.refused(let reason), _): end(number, reason)
        case (.done, .notify), (.done, .progress): end(number, nil)
        case (_, .notify), (_, .progress): end(number, Self.noDaemon)
        case (.done(let answer), _):
            guard let verdict = MCPVerdict(answer: answer), let text = verdict.text(for: call.wish) else {
                return end(number, "the daemon gave no answer that is known here")
            }
            calls[number] = nil
            finish(call.id, call.client, text, isError: false)
            settle(call, verdict)
        case (.undecided, _) where now - call.beganAt >= .seconds(session.waitSeconds):
            end(number, "nobody decided within \(session.waitSeconds == 1 ? "a second" : "\(session.waitSeconds) seconds")")
        case (.undecided, _): askClient(number, "the relay is away, or the question was taken back")
        case (.unreachable, _): askClient(number, Self.noDaemon)
        }
    }

    private static let noDaemon = "no host daemon answers; is `heliograph host` running?"

    /// Reports a verdict's outcome to the daemon. Only the MCP client knows the effect of an approved action, so an allow stays
    /// delivered.
    private mutating func settle(_ call: Call, _ verdict: MCPVerdict) {
        guard let approval = call.approval else { return }
        let outcome: LocalSettlement.Outcome
        switch verdict {
        case .allowed: return
        case .denied: outcome = .refused
        case .answered: outcome = .ran
        }
        orders.append(.post(nil, "settled", session.settled(approval, outcome)))
    }

    /// Ends a call without a person's answer: with an error, or successfully if there was nothing to answer.
    private mutating func end(_ number: Int, _ reason: String?) {
        guard let call = calls.removeValue(forKey: number) else { return }
        finish(call.id, call.client, reason.map { Self.failure(call.wish.tool, $0) } ?? Self.recorded, isError: reason != nil)
    }

    private static let recorded = "Recorded: people see it as soon as this machine's relay has it."

    private static func failure(_ tool: MCPTool, _ reason: String) -> String {
        switch tool {
        case .approve: MCPVerdict.denial("Not allowed: \(reason)")
        case .ask: "No answer: \(reason)"
        case .notify, .progress: "Not shown: \(reason)"
        }
    }

    private mutating func showProgress(_ number: Int, _ now: HostInstant) {
        guard var call = calls[number], call.approval != nil, let token = call.progressToken, call.progressAt <= now.monotonic
        else { return }
        call.progressCount += 1
        call.progressAt = now.monotonic + limits.progressInterval.milliseconds
        calls[number] = call
        let waited = (now - call.beganAt).components.seconds
        notify("notifications/progress") {
            $0.raw("progressToken", token)
            $0.field("progress", call.progressCount)
            $0.field("message", waited == 0 ? "A person is asked" : "Waiting for a person for \(waited) seconds")
        }
    }

    // MARK: - The client's own form

    private mutating func askClient(_ number: Int, _ reason: String) {
        guard let call = calls[number], call.client.takesForms, let form = MCPForm(call.wish, limits: limits) else {
            return end(number, reason)
        }
        formCount += 1
        guard call.client.isStateless else {
            calls[number]?.form = form
            return send {
                $0.field("id", Self.formName(number))
                $0.field("method", Self.elicit)
                $0.raw("params", form.parameters)
            }
        }
        calls[number] = nil
        let state = "form-\(formCount)"
        forms.append((state, call.bytes, form))
        if forms.count > limits.formsMax { forms.removeFirst() }
        send {
            $0.raw("id", call.id)
            $0.object("result") {
                $0.field("resultType", "input_required")
                $0.object("inputRequests") {
                    $0.object(Self.person) {
                        $0.field("method", Self.elicit)
                        $0.raw("params", form.parameters)
                    }
                }
                $0.field("requestState", state)
            }
        }
    }

    private static let elicit = "elicitation/create"
    private static let person: StaticString = "person"
    private static func formName(_ number: Int) -> String { "form-\(number)" }

    private mutating func receivedAnswer(_ root: JSONValue, _ now: HostInstant) {
        guard let id = root.optional("id"), let name = try? id.string(),
            let (number, call) = calls.first(where: { Self.formName($0.key) == name }), let form = call.form
        else { return }
        let verdict = root.optional("result").flatMap { form.verdict(of: $0) }
        guard let verdict, let text = verdict.text(for: call.wish) else { return end(number, Self.formUndecided) }
        calls[number] = nil
        finish(call.id, call.client, text, isError: false)
    }

    private static let formUndecided = "nobody can be reached from afar, and the form here was not answered"

    /// Handles a stateless client's call that returns its form. The arguments must be exactly the same.
    private mutating func answeredForm(
        _ parameters: JSONValue, _ bytes: [UInt8], _ wish: MCPWish, _ id: [UInt8], _ client: MCPClient
    ) -> Bool {
        guard client.isStateless, let state = try? parameters.optionalString("requestState"),
            let place = forms.firstIndex(where: { $0.state == state && $0.bytes == bytes })
        else { return false }
        let form = forms.remove(at: place).form
        let response = (try? parameters.object("inputResponses"))?.optional(Self.person)
        let verdict = response.flatMap { form.verdict(of: $0) }
        let text = verdict?.text(for: wish)
        finish(id, client, text ?? Self.failure(wish.tool, Self.formUndecided), isError: text == nil)
        return true
    }

    private mutating func retractForm(_ number: Int) {
        notify("notifications/cancelled") {
            $0.field("requestId", Self.formName(number))
            $0.field("reason", "the call was cancelled")
        }
    }

    // MARK: - What goes to the daemon

    private mutating func begin(_ client: MCPClient) {
        guard !hasBegun else { return }
        hasBegun = true
        orders.append(.post(nil, "events", session.started(by: client)))
    }

    private mutating func close() {
        for number in calls.keys.sorted() where calls[number]?.isAsked == true { orders.append(.withdraw(number)) }
        calls = [:]
        guard hasBegun else { return }
        hasBegun = false
        orders.append(.post(nil, "events", session.ended))
    }

    // MARK: - What goes to the client

    private mutating func finish(_ id: [UInt8], _ client: MCPClient, _ text: String, isError: Bool) {
        let content = JSONWriter.object {
            $0.field("type", "text")
            $0.field("text", text)
        }
        succeed(id, client) {
            $0.array("content", [content])
            $0.flag("isError", isError)
        }
    }

    private mutating func succeed(_ id: [UInt8], _ client: MCPClient, _ result: (inout JSONWriter) -> Void) {
        send {
            $0.raw("id", id)
            $0.object("result") {
                if client.isStateless { $0.field("resultType", "complete") }
                result(&$0)
            }
        }
    }

    private mutating func fail(_ id: [UInt8], _ failure: Failure, _ message: String, _ data: [UInt8]? = nil) {
        send {
            $0.raw("id", id)
            $0.object("error") {
                $0.field("code", failure.rawValue)
                $0.field("message", message)
                if let data { $0.raw("data", data) }
            }
        }
    }

    private mutating func notify(_ method: String, _ parameters: (inout JSONWriter) -> Void) {
        send {
            $0.field("method", method)
            $0.object("params", parameters)
        }
    }

    private mutating func send(_ content: (inout JSONWriter) -> Void) {
        let line = JSONWriter.object {
            $0.field("jsonrpc", "2.0")
            content(&$0)
        }
        orders.append(.send(line + [UInt8(ascii: "\n")]))
    }
}
