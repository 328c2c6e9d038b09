import HeliographCrypto
import RelayProtocol

@testable import HostCore

/// An agent that takes "allow", one mode, and any answer to its one question.
struct PlainForm: AnswerForm {
    func allow(mode: String?) -> [UInt8]? {
        switch mode {
        case nil: Array("allow".utf8)
        case "careful": Array("allow carefully".utf8)
        default: nil
        }
    }

    func answer(_ answers: [Answer]) -> (values: [(question: String, value: String)], output: [UInt8])? {
        guard answers.count == 1, let choice = answers[0].choices.first else { return nil }
        return ([("Which color?", choice)], Array("answer \(choice)".utf8))
    }

    var offers: [AgentOffer] = []
    var editable: [String] = []

    func allow(edited input: [UInt8]) -> [UInt8]? { Array("allow ".utf8) + input }

    func choose(_ offer: AgentOffer, words: String?) -> [UInt8]? {
        Array("choose \(String(decoding: offer.bytes, as: UTF8.self))\(words.map { ": " + $0 } ?? "")".utf8)
    }

    static func deny(_ words: String) -> [UInt8] { Array("deny: \(words)".utf8) }
}

/// Gives the approval desk facts, and records its orders, one short line each.
struct DeskBench {
    static let session = SessionID("plain-s1")!
    static let process = AgentProcess(id: 4_711, startedAt: 99)
    static let limits = ApprovalLimits(life: .seconds(600), headlessLife: .seconds(300), lossGrace: .seconds(3))
    static let digests = Digests { Crypto.hex(Crypto.sha256($0)) }

    private(set) var desk: ApprovalDesk<PlainForm>
    private(set) var now = HostInstant(wall: 1_800_000_000_000, monotonic: 50_000)
    private(set) var notes: [ApprovalID: [UInt8]] = [:]
    /// The last one that was shown.
    private(set) var shown: ApprovalID!
    private var decisions = 0

    init(isLinkLive: Bool = true) {
        desk = ApprovalDesk(Self.limits, Self.digests, at: now)
        if isLinkLive { _ = tell(.linkChanged(isLive: true)) }
    }

    // MARK: Facts

    mutating func tell(_ fact: ApprovalFact<PlainForm>) -> [String] {
        desk.handle(fact, at: now).map { order in
            if case .remember(let id, let note) = order { notes[id] = note }
            if case .show(let id) = order { shown = id }
            return Self.line(order)
        }
    }

    static func question(
        _ input: String = "ls", kind: ApprovalKind = .tool, token: UInt64 = 1, run: String? = "r1", attempt: Int = 1,
        offers: [AgentOffer] = []
    ) -> ApprovalQuestion<PlainForm> {
        let tool = kind == .tool ? "Run" : "Ask"
        var question = ApprovalQuestion(
            session: session, kind: kind, tool: tool, input: Array(input.utf8), digests, form: PlainForm(offers: offers),
            token: HookToken(rawValue: token))
        question.process = process
        question.run = run
        question.attempt = attempt
        return question
    }

    mutating func ask(kind: ApprovalKind = .tool, token: UInt64 = 1, run: String? = "r1", attempt: Int = 1) -> [String] {
        tell(.asked(Self.question(kind: kind, token: token, run: run, attempt: attempt)))
    }

    /// Decides the question that was shown last, as it was shown.
    mutating func decide(
        _ verdict: Decision.Verdict, of other: ApprovalID? = nil, digest: InputDigest? = nil, signature: String? = nil
    ) -> [String] {
        decisions += 1
        let decision = Decision(
            verdict, client: ClientID("c1")!, clientName: "Ada's phone", at: now.wall, command: CommandID("k\(decisions)")!,
            signature: signature)
        let tool = desk[shown]?.kind == .question ? "Ask" : "Run"
        let digest = digest ?? Self.digests.input(tool: tool, Array("ls".utf8))
        return tell(.decided(Self.session, other ?? shown, digest, decision))
    }

    mutating func show(_ evidence: ApprovalEvidence) -> [String] { tell(.shown(shown, evidence)) }

    mutating func hookGone(_ token: UInt64 = 1) -> [String] { tell(.hookGone(HookToken(rawValue: token))) }

    /// The daemon is killed and starts again after a while, with nothing but its notes.
    mutating func restart(after duration: Duration = .zero) -> [String] {
        advance(duration)
        desk = ApprovalDesk(Self.limits, Self.digests, at: now)
        return tell(.restarted(notes: notes)) + tell(.linkChanged(isLive: true))
    }

    // MARK: Time

    /// Lets time pass while the daemon runs and looks at the agent each second.
    mutating func pass(_ duration: Duration) -> [String] {
        var lines: [String] = []
        let end = now.monotonic + duration.milliseconds
        while now.monotonic < end {
            let due = min(desk.nextDeadline ?? end, now.monotonic + 1_000, end)
            advance(.milliseconds(max(due - now.monotonic, 1)))
            lines += tell(.timerFired)
        }
        return lines
    }

    /// Advances only the clock.
    mutating func advance(_ duration: Duration) {
        now.wall += duration.milliseconds
        now.monotonic += duration.milliseconds
    }

    // MARK: Lines

    static func line(_ order: ApprovalOrder) -> String {
        switch order {
        case .remember(_, let note): note == nil ? "forget" : "remember"
        case .show: "show"
        case .reopened: "reopened"
        case .deliver(_, let token, let output): "hook \(token.rawValue): \(String(decoding: output, as: UTF8.self))"
        case .abstain(let token): "hook \(token.rawValue): no decision"
        case .settled(_, nil): "over"
        case .settled(_, let head?), .emit(_, let head): line(head)
        case .judge: "judge"
        case .check(let process): "check \(process.id)"
        }
    }

    private static func line(_ head: EventHead) -> String {
        switch head {
        case .approvalApplied(_, let outcome): "applied \(outcome)"
        case .approvalCancelled(_, let reason): "cancelled \(reason)"
        case .approvalStale(_, let reason): "stale \(reason)"
        default: head.kind
        }
    }
}
