import AgentTestSupport
import Foundation
import HeliographCrypto
import HostCore
import RelayProtocol
import Testing

@testable import AgentCodex

/// The adapter with a server that the test simulates; records its orders as lines.
struct CodexBench: AgentBench {
    /// The thread of most tests.
    static let thread = "01a1fb6a-0000-7000-8000-000000000001"
    static let session = SessionID("codex-" + thread)!
    static let digests = Digests { Crypto.hex(Crypto.sha256($0)) }

    var adapter: CodexAdapter
    var now = HostInstant(wall: 1_800_000_000_000, monotonic: 50_000)
    /// Orders since the last call of `take`.
    private(set) var lines: [String] = []
    private(set) var effects: [CodexEffect] = []
    private(set) var notes: [String: [UInt8]] = [:]
    /// Answers to the server's requests, as they were sent.
    private(set) var answers: [String] = []
    /// Requests to the server, by method.
    private(set) var asked: [(id: Int64, method: String, thread: String, params: String)] = []
    /// Reported offers and standings of sessions since the last `takeSteering`.
    private var steering: [String] = []
    private var nextToken: UInt64 = 1 << 63

    /// The server's answers; a thread without an entry has no rollout yet.
    var loaded: [String] = []
    var resumable: [String: String] = [:]
    var turns: [String: String] = [:]
    /// The newest turns of the threads, the last first, if there is more than one.
    var recentTurns: [String: String] = [:]
    /// Requests that the server refuses, with its texts.
    var failures: [String: String] = [:]
    var models: [String] = []
    /// Items of the commands that run on after their turns; nil if the server gives no list.
    var terminals: [String]? = []
    /// The server's list of past threads of a folder.
    var past: [String] = []
    /// The turn that a prompt starts.
    var nextTurn = "t1"
    /// Targets of links; not answered unless `findsLinks`.
    var links: [String: String]? = [:]
    var findsLinks = true
    /// False for a test that gives all answers itself.
    var answersItself = true

    init(notes: [String: [UInt8]] = [:]) {
        adapter = CodexAdapter(home: "/home/dev", digests: Self.digests, at: now)
        tell(.daemonStarted(notes: notes))
        tell(.linkChanged(isLive: true))
        self.notes = notes
    }

    /// Restarts the adapter with its notes, as after a killed daemon.
    mutating func restart() {
        let left = notes
        adapter = CodexAdapter(home: "/home/dev", digests: Self.digests, at: now)
        tell(.daemonStarted(notes: left))
        tell(.linkChanged(isLive: true))
    }

    /// A bench attached to a thread that is idle, or has the given status.
    static func attached(status: String = #"{"type":"idle"}"#, more: String = "", models: [String] = []) -> CodexBench {
        var bench = CodexBench()
        bench.loaded = [thread]
        bench.resumable[thread] = resumed(thread, status: status, more: more)
        bench.models = models
        bench.tell(.own(.connected))
        _ = bench.take()
        return bench
    }

    /// `more` is the rest of the response beside thread and model, such as the policy of approvals.
    static func resumed(_ thread: String, status: String = #"{"type":"idle"}"#, more: String = "") -> String {
        #"{"thread":{"id":"\#(thread)","ephemeral":false,"preview":"go","cwd":"/home/dev/proj","cliVersion":"0.163.0","name":null,"#
            + #""status":\#(status),"turns":[]},"model":"gpt-5.4"\#(more)}"#
    }

    // MARK: Time

    mutating func pass(_ duration: Duration) {
        let end = now.monotonic + duration.milliseconds
        while let due = adapter.nextDeadline, due <= end {
            advance(to: max(due, now.monotonic + 1))
            tell(.timerFired)
        }
        advance(to: end)
    }

    private mutating func advance(to monotonic: Int64) {
        now.wall += monotonic - now.monotonic
        now.monotonic = monotonic
    }

    // MARK: Facts

    mutating func tell(_ input: CodexInput) {
        var replies: [String] = []
        for effect in adapter.handle(input, at: now) {
            effects.append(effect)
            switch effect {
            case .remember(let key, let note): notes[key] = note
            case .own(.send(let bytes)): if let reply = reply(to: bytes) { replies.append(reply) }
            case .own(.findLinks(let token, _, _)): if findsLinks { tell(.own(.linksFound(token, links))) }
            case .offer(_, let offer): steering.append(Self.line(offer))
            case .stands(_, let standing): steering.append("stands \(standing)")
            default: break
            }
            if let line = line(effect) { lines.append(line) }
        }
        for reply in replies { say(reply) }
    }

    /// The server sends this.
    mutating func say(_ message: String) {
        guard let document = try? JSONDocument(parsing: message) else { preconditionFailure("a server says JSON: \(message)") }
        nextToken += 1
        tell(.own(.received(document, HookToken(rawValue: nextToken))))
    }

    mutating func notify(_ method: String, _ members: String = "", thread: String = Self.thread) {
        let rest = members.isEmpty ? "" : "," + members
        say(#"{"method":"\#(method)","params":{"threadId":"\#(thread)"\#(rest)}}"#)
    }

    mutating func status(_ flags: String...) {
        notify(
            "thread/status/changed",
            #""status":{"type":"active","activeFlags":[\#(flags.map { "\"\($0)\"" }.joined(separator: ","))]}"#)
    }

    /// The server asks about a command.
    mutating func askCommand(
        _ command: String = "echo hi > out.txt", id: String = "0", item: String = "call_1", turn: String = "t1",
        more: String = ""
    ) {
        say(
            #"{"method":"item/commandExecution/requestApproval","id":\#(id),"params":{"kind":"command","threadId":"\#(Self.thread)","#
                + #""turnId":"\#(turn)","itemId":"\#(item)","startedAtMs":1,"environmentId":"local","#
                + #""command":"/bin/bash -lc '\#(command)'","#
                + #""cwd":"/home/dev/proj","availableDecisions":["accept","cancel"]\#(more)}}"#)
    }

    static func command(_ status: String, item: String = "call_1", exit: String = "null", output: String = "null") -> String {
        #""turnId":"t1","item":{"type":"commandExecution","id":"\#(item)","command":"/bin/bash -lc 'echo hi > out.txt'","#
            + #""cwd":"/home/dev/proj","status":"\#(status)","aggregatedOutput":\#(output),"exitCode":\#(exit),"durationMs":3}"#
    }

    mutating func turnStarts(_ turn: String = "t1") {
        notify("turn/started", #""turn":{"id":"\#(turn)","status":"inProgress"}"#)
    }
    mutating func turnEnds(_ status: String = "completed", _ turn: String = "t1") {
        notify("turn/completed", #""turn":{"id":"\#(turn)","status":"\#(status)","error":null}"#)
    }
    mutating func resolved(_ id: String = "0") { notify("serverRequest/resolved", #""requestId":\#(id)"#) }

    mutating func decide(_ verdict: Decision.Verdict, digest: InputDigest? = nil) throws {
        let (request, decision) = try decision(verdict)
        tell(.decided(request.session, request.head.approval, digest ?? request.head.digest, decision))
    }

    /// Sends a person's command, under the name `k`.
    mutating func steer(_ action: SteeringAction, _ command: String = "k") {
        tell(
            .steer(
                SteeringRequest(
                    command: CommandID(command)!, session: Self.session, by: Named(id: ClientID("c1")!, name: "Ada's phone"),
                    action: action)))
    }

    mutating func launch(_ launch: Launch, _ command: String = "k") {
        let name = SteeringName(client: ClientID("c1")!, command: CommandID(command)!)
        tell(.launch(LaunchOrder(name: name, launch: launch, folder: "/home/dev/proj")))
    }

    mutating func prompt(_ text: String, _ whenBusy: SteeringAction.WhenBusy = .queue, _ command: String = "k") {
        steer(.prompt(.init(text: text, whenBusy: whenBusy)), command)
    }

    /// A person's message as Codex sends it, with the id that its client gave it.
    static func message(_ text: String, client: String, item: String = "u1", turn: String = "t1") -> String {
        #""turnId":"\#(turn)","item":{"type":"userMessage","id":"\#(item)","clientId":"\#(client)","#
            + #""content":[{"type":"text","text":"\#(text)"}]}"#
    }

    mutating func shows(_ text: String, client: String = "heliograph.c1.k", turn: String = "t1") {
        notify("item/started", Self.message(text, client: client, turn: turn))
        notify("item/completed", Self.message(text, client: client, turn: turn))
    }

    mutating func rests() { notify("thread/status/changed", #""status":{"type":"idle"}"#) }

    mutating func isSet(policy: String = #""on-request""#, model: String = "gpt-5.4") {
        notify("thread/settings/updated", #""threadSettings":{"approvalPolicy":\#(policy),"model":"\#(model)"}"#)
    }

    // MARK: The server

    private mutating func reply(to bytes: [UInt8]) -> String? {
        guard let root = try? JSONDocument(parsing: bytes).root, let id = root.whole("id"), let method = root.text("method")
        else { return nil }
        let thread = root.optional("params")?.text("threadId") ?? ""
        let params = root.optional("params").map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
        asked.append((id, method, thread, params))
        if let failure = failures[method] { return #"{"id":\#(id),"error":{"code":-32600,"message":"\#(failure)"}}"# }
        guard answersItself else { return nil }
        switch method {
        case "initialize": return #"{"id":\#(id),"result":{"userAgent":"codex-tui/0.163.0"}}"#
        case "thread/loaded/list":
            return #"{"id":\#(id),"result":{"data":[\#(loaded.map { "\"\($0)\"" }.joined(separator: ","))],"nextCursor":null}}"#
        case "thread/resume":
            let error = #"{"error":{"code":-32600,"message":"no rollout found for thread id \#(thread)"},"id":\#(id)}"#
            return resumable[thread].map { #"{"id":\#(id),"result":\#($0)}"# } ?? error
        case "thread/start":
            return #"{"id":\#(id),"result":\#(Self.resumed("new", more: #","approvalPolicy":"untrusted""#))}"#
        case "thread/list": return #"{"id":\#(id),"result":{"data":[\#(past.joined(separator: ","))],"nextCursor":null}}"#
        case "turn/start": return #"{"id":\#(id),"result":{"turn":{"id":"\#(nextTurn)","status":"inProgress"}}}"#
        case "model/list": return #"{"id":\#(id),"result":{"data":[\#(models.joined(separator: ","))]}}"#
        case "thread/turns/list" where params.contains("summary"):
            return #"{"id":\#(id),"result":{"data":[\#(recentTurns[thread] ?? turns[thread] ?? "")],"nextCursor":null}}"#
        case "thread/turns/list": return #"{"id":\#(id),"result":{"data":[\#(turns[thread] ?? "")]}}"#
        case "thread/backgroundTerminals/list":
            let error = #"{"error":{"code":-32600,"message":"unknown variant"},"id":\#(id)}"#
            guard let terminals else { return error }
            let data = terminals.map { #"{"itemId":"\#($0)","processId":"7","command":"bash","cwd":"/home/dev/proj"}"# }
            return #"{"id":\#(id),"result":{"data":[\#(data.joined(separator: ","))],"nextCursor":null}}"#
        default: return #"{"id":\#(id),"result":{}}"#
        }
    }

    // MARK: What came of it

    mutating func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    mutating func takeSteering() -> [String] {
        defer { steering = [] }
        return steering
    }

    /// The server's lines in a recording.
    static func recording(_ name: String) throws -> [String] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
        return try String(contentsOf: folder.appending(path: name + ".jsonl"), encoding: .utf8).split(separator: "\n").map(
            String.init)
    }

    // MARK: Lines

    private mutating func line(_ effect: CodexEffect) -> String? {
        switch effect {
        case .emit(_, let bytes, _):
            guard let event = try? Event(stored: bytes) else {
                return "NOT AN EVENT: \(String(decoding: bytes, as: UTF8.self))"
            }
            return Self.line(event)
        case .stream(let delta): return "stream \(delta.text)"
        case .show(let output): return "output of \(output.call): \(output.text)"
        case .respond(_, let output):
            let text = output.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
            answers.append(text)
            return "answer \(text)"
        case .own(.hangUp): return "hang up"
        case .own(.startServer): return "start the server"
        case .restrict, .heed, .checkAgents: return "NOT CODEX'S"
        case .steered(_, let change):
            return "steering: \(change.name.command.rawValue) \(change.stage.rawValue)"
                + (change.reason.map { " (\($0))" } ?? "")
        case .launched(let name, let outcome): return "launch: \(name.command.rawValue) \(Self.words(outcome))"
        case .launch, .begin, .askAll: return "NOT CODEX'S"
        case .own, .remember, .offer, .stands: return nil
        }
    }

    private static func words(_ outcome: LaunchOutcome) -> String {
        switch outcome {
        case .began(let session, _): "began \(session)"
        case .arrived: "arrived"
        case .refused(let reason): "refused (\(reason))"
        case .listed(let sessions): sessions.map { "\($0.id) \($0.title) \($0.at)" }.joined(separator: ", ")
        case .ended(let session, _): "ended \(session)"
        }
    }

    private static func line(_ offer: SteeringOffer?) -> String {
        guard let offer else { return "offers nothing" }
        var words = ["offers"] + SteeringAction.Kind.allCases.filter(offer.actions.contains).map(\.rawValue)
        if let mode = offer.mode { words.append("mode \(mode) of \(offer.modes.joined(separator: "/"))") }
        if !offer.models.isEmpty { words.append("models \(offer.models.joined(separator: "/"))") }
        if let reason = offer.reason { words.append("(\(reason))") }
        return words.joined(separator: " ")
    }

    private static func line(_ event: Event) -> String {
        let kind = event.head.kind
        switch event.head {
        case .usage(let usage):
            let tokens = usage.tokens ?? Tokens()
            return
                "\(kind) in \(tokens.input) out \(tokens.output) read \(tokens.cacheRead) "
                + "of \(usage.contextUsed ?? 0)/\(usage.contextLimit ?? 0)"
        default: return line(of: event)
        }
    }
}

extension CodexBench {
    /// A bench attached to the thread of a recording that a client had started, just before it began to work.
    static func playing(_ name: String) throws -> (CodexBench, rest: [String]) {
        let messages = try recording(name)
        let start = try #require(messages.first { $0.contains(#""result":{"thread":"#) })
        let result = try JSONDocument(parsing: start).root.required("result")
        let thread = try result.required("thread").string("id")
        var bench = CodexBench()
        bench.loaded = [thread]
        bench.resumable[thread] = String(decoding: result.bytes, as: UTF8.self)
        bench.tell(.own(.connected))
        return (bench, messages.filter { $0.hasPrefix(#"{"method""#) && !$0.contains(#""method":"thread/started""#) })
    }

    /// Plays up to and including the next request for approval.
    mutating func playToQuestion(_ rest: inout ArraySlice<String>) {
        while let message = rest.popFirst() {
            say(message)
            if message.contains("/requestApproval") { return }
        }
    }
}
