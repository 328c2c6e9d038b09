import HeliographCrypto
import HostCore
import RelayProtocol

@testable import AgentClaude
@testable import HeliographHook
@testable import HeliographHost

/// Whole conversations of Claude Code with its hooks: each line of an input is a hook's JSON, a status line, or a letter for
/// another event (`HookWorld.happen`).
///
/// The relay must accept every resulting event, each hook is answered at most once, and it is allowed only by a decision for
/// exactly its own question.
enum HookTarget {
    /// Largest number of lines: more than a recording has.
    private static let linesMax = 64

    static func run(_ input: [UInt8]) {
        var world = HookWorld()
        var reader = InputReader(input)
        for _ in 0..<linesMax where !reader.isAtEnd { world.take(reader.line()) }
        world.end()
    }
}

/// The adapter, with the state that is known from outside.
private struct HookWorld {
    /// A call of a hook that waits.
    private struct Call {
        var run: String
        var session: SessionID?
        var digest: InputDigest
    }

    private struct Asked {
        var session: SessionID
        var request: ApprovalRequest
        var run: String
        /// Digest of the input that its hook sent.
        var input: InputDigest?
    }

    private static let digests = Digests { Crypto.hex(Crypto.sha256($0)) }

    private var now = HostInstant(wall: 1_800_000_000_000, monotonic: 50_000)
    private var adapter: ClaudeAdapter
    private var notes: [String: [UInt8]] = [:]
    private var waiting: [HookToken: Call] = [:]
    private var asked: [Asked] = []
    /// Runs of hooks whose question was decided "allow", and the question.
    private var allowed: [String: InputDigest] = [:]
    private var lastCall: [UInt8] = []
    private var lastToken: UInt64 = 0
    private var runs = 0
    private var decisions = 0
    /// The run of the current call.
    private var run = ""
    private let process = AgentProcess(id: 4_711, startedAt: 99)

    init() { adapter = ClaudeAdapter(home: "/tmp/home", digests: Self.digests, at: now) }

    mutating func take(_ line: [UInt8]) {
        pass(milliseconds: 10)
        guard let first = line.first else { return }
        if first == UInt8(ascii: "{") {
            call(line, attempt: 1)
        } else {
            happen(first, Array(line.dropFirst()))
        }
    }

    /// The longest wait is an approval's, a day.
    mutating func end() {
        for _ in 0..<3 { pass(milliseconds: 86_400_000) }
        require(waiting.isEmpty, "\(waiting.count) hooks wait for ever")
    }

    private mutating func happen(_ letter: UInt8, _ rest: [UInt8]) {
        switch letter {
        case UInt8(ascii: "l"): tell(.linkChanged(isLive: true))
        case UInt8(ascii: "L"): tell(.linkChanged(isLive: false))
        case UInt8(ascii: "a"): decide(.allow, rest)
        case UInt8(ascii: "A"): decide(.allow, rest, otherDigest: true)
        case UInt8(ascii: "d"): decide(.deny(message: rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)), rest)
        case UInt8(ascii: "q"): decide(.answer([Answer(question: "q0", choices: [], text: text(rest))]), rest)
        case UInt8(ascii: "c"): decide(.answer([Answer(question: "q0", choices: [text(rest)])]), rest)
        // The same hook again after its connection broke, or another's input under its name.
        case UInt8(ascii: "r"): call(rest.isEmpty ? lastCall : rest, attempt: 2)
        case UInt8(ascii: "g"):
            if let token = waiting.keys.min(by: { $0.rawValue < $1.rawValue }) {
                waiting[token] = nil
                tell(.hookGone(token))
            }
        case UInt8(ascii: "t"): pass(milliseconds: Int64(rest.first ?? 1) * Int64(rest.last ?? 1) * 100)
        // A crash: only the notes are left, and every connection is gone.
        case UInt8(ascii: "k"):
            waiting = [:]
            adapter = ClaudeAdapter(home: "/tmp/home", digests: Self.digests, at: now)
            tell(.daemonStarted(notes: notes))
        case UInt8(ascii: "x"): tell(.agentGone(process))
        case UInt8(ascii: "h"): tell(.held(Holds(everySession: true)))
        case UInt8(ascii: "H"): tell(.held(Holds()))
        case UInt8(ascii: "n"): if let last = asked.last { tell(.notRecorded(last.request.approval)) }
        case UInt8(ascii: "e"): if let last = asked.last { tell(.eventsLost([last.session])) }
        case UInt8(ascii: "T"):
            if let session = adapter.sessionsInOrder.last, let file = try? JSONDocument(parsing: rest) {
                tell(.tasksRead(session.id, [file]))
            }
        default: break
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    // MARK: Facts

    /// Calls a hook, like the local socket.
    private mutating func call(_ line: [UInt8], attempt: Int) {
        _ = ClaudeStatusLine.text(for: line)
        guard let document = try? JSONDocument(parsing: line), document.root.isObject else { return }
        guard let event = try? document.root.string("hook_event_name") else {
            tell(.statusLineShown(document, process: process))
            return
        }
        if attempt == 1 {
            runs += 1
            lastCall = line
        }
        run = "r\(runs)"
        var hook = ClaudeHook(event: event, payload: document, process: process)
        (hook.attempt, hook.run) = (attempt, run)
        hook.isAttended = runs % 4 > 0
        if event == "PermissionRequest" || event == "PreToolUse" {
            lastToken += 1
            let token = HookToken(rawValue: lastToken)
            hook.token = token
            let input = document.root.optional("tool_input").map { Array($0.bytes) } ?? []
            let tool = try? document.root.optionalString("tool_name")
            waiting[token] = Call(
                run: run, session: adapter.sessionID(document.root),
                digest: Self.digests.input(tool: tool ?? "", input))
        }
        tell(.hookCalled(hook))
    }

    private mutating func decide(_ verdict: Decision.Verdict, _ rest: [UInt8], otherDigest: Bool = false) {
        guard let asked = asked.dropLast(rest.isEmpty ? 0 : Int(rest[0] % 3)).last, let client = ClientID("c1"),
            let command = CommandID("k\(decisions)"), let other = InputDigest(String(repeating: "0", count: 64))
        else { return }
        decisions += 1
        if !otherDigest, !asked.request.isCut {
            switch verdict {
            case .deny, .denyWith: break
            case .allow, .allowIn, .allowWith, .allowEdited, .answer: allowed[asked.run] = asked.input
            }
        }
        let decision = Decision(verdict, client: client, clientName: "Ada's phone", at: now.wall, command: command)
        tell(.decided(asked.session, asked.request.approval, otherDigest ? other : asked.request.digest, decision))
    }

    private mutating func pass(milliseconds: Int64) {
        now.wall += milliseconds
        now.monotonic += milliseconds
        guard let due = adapter.nextDeadline, due <= now.monotonic else { return }
        tell(.timerFired)
        if let next = adapter.nextDeadline { require(next > now.monotonic, "a timer that is due again at once, for ever") }
    }

    // MARK: Orders

    private mutating func tell(_ input: ClaudeInput) {
        for effect in adapter.handle(input, at: now) {
            switch effect {
            case .emit(let session, let bytes, _): emitted(bytes, session)
            case .stream(let delta):
                let bytes = HostMessage.deltas(delta).bytes
                require((try? HostMessage(parsing: bytes)) != nil, "the relay refuses a delta: \(text(bytes))")
            case .respond(let token, let output): responded(token, output)
            case .restrict(let token, _): require(waiting.removeValue(forKey: token) != nil, "a hook is answered twice")
            case .heed(let token, _, _, _): responded(token, nil)
            case .remember(let key, let note): notes[key] = note
            case .own(.readTranscriptEnd(let request)): tell(.transcriptEndRead(request, nil))
            case .show, .own, .checkAgents, .offer, .stands, .steered, .askAll, .launched, .launch, .begin: break
            }
        }
    }

    private mutating func tell(_ fact: ClaudeFact) { tell(.own(fact)) }

    private mutating func emitted(_ bytes: [UInt8], _ session: SessionID) {
        do throws(WireError) {
            let event = try Event(stored: bytes)
            _ = try HostMessage(parsing: HostMessage.events(HostEvents(session: session, first: 1, events: [event])).bytes)
            if case .approvalRequested(let request) = event.head {
                asked.append(
                    Asked(
                        session: session, request: request, run: run,
                        input: waiting.values.first { $0.run == run }?.digest))
            }
        } catch { fatalError("finding: the relay refuses an event: \(error): \(text(bytes))") }
    }

    private mutating func responded(_ token: HookToken, _ output: [UInt8]?) {
        guard let call = waiting.removeValue(forKey: token) else { fatalError("finding: a hook is answered twice") }
        guard let output else { return }
        guard let root = try? JSONDocument(parsing: output).root else {
            fatalError("finding: a hook prints what is no JSON: \(text(output))")
        }
        let behavior = try? root.optional("hookSpecificOutput")?.optional("decision")?.string("behavior")
        guard behavior == "allow" else { return }
        require(allowed[call.run] == call.digest, "allowed without a decision for it: \(text(lastCall))")
    }
}
