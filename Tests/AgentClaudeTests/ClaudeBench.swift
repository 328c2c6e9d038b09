import AgentTestSupport
import Foundation
import HeliographCrypto
import HostCore
import RelayProtocol
import Testing

@testable import AgentClaude

/// Plays recorded hook calls to the adapter and records its orders, one short line each.
struct ClaudeBench: AgentBench {
    /// The question in each recording, and the answer that allows it.
    static let asked = "approval.requested Run: echo hi > out.txt"
    static let allow = #"{"behavior":"allow"}"#

    var adapter: ClaudeAdapter
    var now = HostInstant(wall: 1_800_000_000_000, monotonic: 50_000)
    /// Orders since the last call of `take`.
    private(set) var lines: [String] = []
    /// All orders so far.
    private(set) var effects: [ClaudeEffect] = []
    private(set) var notes: [String: [UInt8]] = [:]
    var process = AgentProcess(id: 4711, startedAt: 99)
    /// Contents of the files that are read.
    var transcripts: [String: String] = [:]
    private var nextToken: UInt64 = 1

    /// With a `textWait` of zero no tool's start waits for text, as most tests have none.
    init(isLinkLive: Bool = true, textWait: Duration = .zero, hasShippedLife: Bool = false) {
        var limits = ClaudeLimits()
        // An hour instead of a day, because clocks are advanced a hundred milliseconds at a time.
        if !hasShippedLife { limits.approvals.life = .seconds(3_590) }
        limits.textWait = textWait
        adapter = ClaudeAdapter(home: "/home/dev", digests: Self.digests, limits: limits, at: now)
        if isLinkLive { tell(.linkChanged(isLive: true)) }
    }

    static let digests = Digests { Crypto.hex(Crypto.sha256($0)) }

    // MARK: Time

    mutating func pass(_ duration: Duration) {
        let end = now.monotonic + duration.milliseconds
        while let due = adapter.nextDeadline, due <= end {
            advance(to: max(due, now.monotonic + 1))
            tell(.timerFired)
        }
        advance(to: end)
    }

    /// Like `pass`, but without reading the registry in between, like a machine that slept.
    mutating func leap(_ duration: Duration) {
        advance(to: now.monotonic + duration.milliseconds)
        tell(.timerFired)
    }

    private mutating func advance(to monotonic: Int64) {
        now.wall += monotonic - now.monotonic
        now.monotonic = monotonic
    }

    // MARK: Facts

    mutating func tell(_ input: ClaudeInput) {
        for effect in adapter.handle(input, at: now) {
            effects.append(effect)
            if case .remember(let key, let note) = effect { notes[key] = note }
            if let line = Self.line(effect) { lines.append(line) }
            if case .own(.readTranscriptEnd(let request)) = effect {
                tell(.transcriptEndRead(request, transcripts[request.path].map { Self.transcript($0, at: request.path) }))
            }
        }
    }

    mutating func tell(_ fact: ClaudeFact) { tell(.own(fact)) }

    private static func transcript(_ text: String, at path: String) -> ClaudeTranscript {
        let name = String(path.split(separator: "/").last?.dropLast(6) ?? "")
        return ClaudeTranscript(name: name, bytes: Array(text.utf8), start: 0)
    }

    /// Calls a hook. Returns its token if it waits for an answer; `isHeard` for one that waits for a moment only.
    @discardableResult
    mutating func call(
        _ payload: String, attempt: Int = 1, isAttended: Bool = true, dialogWaits: Bool = false, run: String? = "r1",
        isHeard: Bool = false, isRun: Bool = false, file: ClaudeFile? = nil
    ) throws -> HookToken {
        let document = try JSONDocument(parsing: payload)
        let event = try document.root.string("hook_event_name")
        var hook = ClaudeHook(event: event, payload: document, process: process)
        hook.file = file
        hook.dialogWaits = dialogWaits
        hook.isRun = isRun
        return call(hook, attempt: attempt, isAttended: isAttended, run: run, isHeard: isHeard)
    }

    /// Calls a hook as the local socket reads it.
    mutating func call(bytes: [UInt8], event: String) {
        let strict = try? JSONDocument(parsing: bytes)
        var hook = ClaudeHook(event: event, payload: strict ?? JSONRepair.document(bytes), process: process)
        hook.isWhole = strict != nil
        call(hook)
    }

    @discardableResult
    private mutating func call(
        _ hook: ClaudeHook, attempt: Int = 1, isAttended: Bool = true, run: String? = "r1", isHeard: Bool = false
    ) -> HookToken {
        var hook = hook
        hook.isAttended = isAttended
        hook.attempt = attempt
        hook.run = run
        let token = HookToken(rawValue: nextToken)
        if ["PermissionRequest", ClaudeAnswer.elicitation].contains(hook.event) || isHeard {
            hook.token = token
            nextToken += 1
        }
        tell(.hookCalled(hook))
        return token
    }

    mutating func decide(_ verdict: Decision.Verdict, digest: InputDigest? = nil, name: String = "Ada's phone") throws {
        let (request, decision) = try decision(verdict, name: name)
        tell(.decided(request.session, request.head.approval, digest ?? request.head.digest, decision))
    }

    // MARK: The registry

    /// The session of the first event.
    var session: SessionID? { watched ?? events.first?.session }
    /// The session of an earlier run.
    var watched: SessionID?

    /// The agent writes its registry entry, which is read at once.
    mutating func registry(_ status: String, for waiting: String? = nil, after: Duration = .zero) {
        pass(after)
        let wait = waiting.map { #","waitingFor":"\#($0)""# } ?? ""
        registry(entry: #"{"sessionId":"SESSION","status":"\#(status)"\#(wait),"statusUpdatedAt":\#(now.wall)}"#)
    }

    mutating func registry(entry: String) {
        guard let session, let name = adapter.sessions[session]?.registryName else { preconditionFailure("no session yet") }
        guard let entry = try? JSONDocument(parsing: entry.replacingOccurrences(of: "SESSION", with: name)) else {
            preconditionFailure("an entry is JSON")
        }
        tell(.registryRead(session, entry))
    }

    /// Writes the transcript's line about an interruption.
    mutating func writeInterruption(_ uuid: String = "u1", more: String = "") {
        guard let session, let path = adapter.sessions[session]?.transcript else { preconditionFailure("no session yet") }
        let message = #"{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}"#
        let line = #"{"type":"user","uuid":"\#(uuid)","message":\#(message)}"#
        transcripts[path, default: ""] += line + "\n" + #"{"type":"last-prompt"}"# + "\n" + more
    }

    mutating func registryGone() { if let session { tell(.registryRead(session, nil)) } }

    // MARK: What came of it

    /// The last offer of a session.
    var offered: SteeringOffer? {
        effects.reversed().lazy.compactMap { effect -> SteeringOffer?? in
            if case .offer(_, let offer) = effect { .some(offer) } else { nil }
        }.first ?? nil
    }

    mutating func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    // MARK: Recordings

    static func text(_ fixture: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
        return try String(contentsOf: folder.appending(path: fixture), encoding: .utf8)
    }

    /// The hook calls of a recording, in order.
    static func recording(_ name: String) throws -> [String] {
        try text(name + ".jsonl").split(separator: "\n").map { line in
            String(decoding: try JSONDocument(parsing: String(line)).root.required("input").bytes, as: UTF8.self)
        }
    }

    /// The permission request that belongs to this PreToolUse; it does not name the call.
    static func request(for call: String) throws -> String {
        var call = call.replacingOccurrences(of: "PreToolUse", with: "PermissionRequest")
        let id = try #require(call.range(of: #", "tool_use_id": "[a-z0-9_]*""#, options: .regularExpression))
        call.removeSubrange(id)
        return call
    }

    /// Plays a recording up to its question; the test plays the rest.
    static func ask(_ name: String, isAttended: Bool = true, hasShippedLife: Bool = false) throws -> (
        ClaudeBench, rest: [String]
    ) {
        var bench = ClaudeBench(hasShippedLife: hasShippedLife)
        let calls = try recording(name)
        let before = try #require(calls.firstIndex { $0.contains(#""hook_event_name": "PreToolUse""#) })
        for call in calls[...before] { try bench.call(call) }
        var request = try request(for: calls[before])
        // Includes the recording's suggestions, if any: the same hook sends the same input again.
        let recorded = calls.first { $0.contains("PermissionRequest") && $0.contains(#""permission_suggestions""#) }
        if let recorded, let start = recorded.range(of: #", "permission_suggestions""#)?.lowerBound {
            request = String(request.dropLast()) + recorded[start...]
        }
        try bench.call(request, isAttended: isAttended)
        #expect(bench.take().last?.hasPrefix("approval.requested") == true)
        return (bench, calls[(before + 1)...].filter { !$0.contains("PermissionRequest") })
    }

    /// A bench after one question with choices.
    static func askQuestion() throws -> ClaudeBench {
        var bench = ClaudeBench()
        try bench.call(text("hook-PermissionRequest.AskUserQuestion.json"))
        #expect(bench.take().last == "approval.requested Which color?")
        return bench
    }

    // MARK: Lines

    private static func line(_ effect: ClaudeEffect) -> String? {
        switch effect {
        case .emit(_, let bytes, _):
            guard let event = try? Event(stored: bytes) else {
                return "NOT AN EVENT: \(String(decoding: bytes, as: UTF8.self))"
            }
            return line(event)
        case .stream(let delta): return "stream \(delta.text)"
        case .show(let output): return "output of \(output.call): \(output.text)"
        case .respond(let token, nil): return "hook \(token.rawValue): no decision"
        case .respond(let token, let output?):
            let text = String(decoding: output, as: UTF8.self)
            let wanted = #"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":"#
            let filledIn = #"{"hookSpecificOutput":{"hookEventName":"Elicitation","#
            if text.hasPrefix(filledIn) {
                return "hook \(token.rawValue): elicitation {\(text.dropFirst(filledIn.count).dropLast())"
            }
            return text.hasPrefix(wanted)
                ? "hook \(token.rawValue): \(text.dropFirst(wanted.count).dropLast(2))" : "BAD: \(text)"
        case .heed(let token, _, ClaudeAnswer.askRuled, _): return "hook \(token.rawValue): no decision"
        case .heed(let token, _, _, _): return "BAD: \(token.rawValue)"
        case .restrict(let token, ClaudeAnswer.ask): return "hook \(token.rawValue): ask"
        case .restrict(let token, ClaudeAnswer.askAll): return "hook \(token.rawValue): ask for all"
        case .askAll(let session, let isOn): return "ask for all of \(session): \(isOn ? "on" : "off")"
        case .restrict(_, let output): return "BAD: \(String(decoding: output, as: UTF8.self))"
        case .own(.readTasks(_, let directory)): return "read \(directory)"
        case .steered(_, let change):
            return "steering: \(change.name.command.rawValue) \(change.stage.rawValue)"
                + (change.reason.map { " (\($0))" } ?? "")
        case .checkAgents, .own, .remember, .offer, .stands, .launched, .launch, .begin: return nil
        }
    }

    private static func line(_ event: Event) -> String {
        let kind = event.head.kind
        switch event.head {
        case .usage(let usage):
            return "\(kind) \(usage.run ?? "?") \(usage.costMicroUSD ?? -1) +\(usage.costDeltaMicroUSD ?? -1)"
        default: return line(of: event)
        }
    }
}
