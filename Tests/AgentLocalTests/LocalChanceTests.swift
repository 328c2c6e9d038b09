import HeliographTestSupport
import HostCore
import RelayProtocol
import Testing

@testable import AgentLocal

/// Promise 6 at random: whatever programs ask, in any order, none gets more than a person gave it.
@Suite("Any program: whatever happens")
struct LocalChanceTests {
    @Test("an allow is for the input that a person saw, handed over again for seconds only, and no request is answered twice")
    func promises() throws {
        for seed in 0..<150 as Range<UInt64> {
            var walk = Walk(seed: seed)
            for _ in 0..<100 { try walk.step() }
            walk.end()
        }
    }

    private struct Walk {
        private let seed: UInt64
        private var dice: SeededDice
        private var adapter: LocalAdapter
        private var now = HostInstant(wall: 1_800_000_000_000, monotonic: 50_000)
        private var notes: [String: [UInt8]] = [:]
        private var waiting: [HookToken: InputDigest?] = [:]
        private var shown: [(session: SessionID, request: ApprovalRequest)] = []
        private var allowed: Set<ApprovalID> = []
        /// Time of the first answer, and the number of daemon starts by then: each start gives a program ten seconds more.
        private var handed: [ApprovalID: (at: Int64, life: Int)] = [:]
        private var delivered: ApprovalID?
        private var life = 0
        private var tokens: UInt64 = 0

        init(seed: UInt64) {
            self.seed = seed
            dice = SeededDice(seed: seed)
            adapter = LocalAdapter(digests: LocalBench.digests, at: now)
        }

        mutating func step() throws {
            advance(Int64.random(in: 0...2_000, using: &dice))
            let session = ["s1", "s2"].randomElement(using: &dice)!
            let name = ["a", "b"].randomElement(using: &dice)!
            switch Int.random(in: 0..<14, using: &dice) {
            case 0...4: try ask(session, name)
            case 5...7: decide()
            case 8:
                let outcome = LocalSettlement.Outcome.allCases.randomElement(using: &dice)!
                let text = #"{"session":"\#(session)","approval":"\#(name)","outcome":"\#(outcome.rawValue)"}"#
                tell(.own(.settled(try LocalSettlement(parsing: Array(text.utf8)), by: nil, token(nil))))
            case 9:
                let tokens = waiting.keys.sorted { $0.rawValue < $1.rawValue }
                guard let token = tokens.randomElement(using: &dice) else { return }
                waiting[token] = nil
                tell(.hookGone(token))
            case 10:
                waiting = [:]
                life += 1
                adapter = LocalAdapter(digests: LocalBench.digests, at: now)
                tell(.daemonStarted(notes: notes))
                tell(.linkChanged(isLive: true))
            case 11: tell(.linkChanged(isLive: Int.random(in: 0..<3, using: &dice) > 0))
            case 12:
                let line = #"{"session":"\#(session)","kind":"session.ended"}"#
                tell(.own(.eventsSent(try LocalEvent.all(in: Array(line.utf8)), by: nil, token(nil))))
            default: advance(Int64.random(in: 0...15_000, using: &dice))
            }
        }

        mutating func end() {
            advance(120_000)
            #expect(waiting.isEmpty, "seed \(seed)")
        }

        private mutating func token(_ digest: InputDigest?) -> HookToken {
            tokens += 1
            let token = HookToken(rawValue: tokens)
            waiting[token] = .some(digest)
            return token
        }

        private mutating func ask(_ session: String, _ name: String) throws {
            let input = #"{"command":"\#(["ls", "rm -rf ~"].randomElement(using: &dice)!)"}"#
            let rest = #""kind":"tool","tool":"Run","input":\#(input),"waitSeconds":60"#
            let ask = try LocalAsk(parsing: Array(#"{"session":"\#(session)","approval":"\#(name)",\#(rest)}"#.utf8))
            let digest = LocalBench.digests.input(tool: "Run", Array(input.utf8))
            tell(.own(.asked(ask, by: nil, token(digest))))
        }

        private mutating func decide() {
            guard let one = shown.suffix(4).randomElement(using: &dice) else { return }
            // The relay accepts one decision for each approval.
            guard !allowed.contains(one.request.approval) else { return }
            let verdict: Decision.Verdict = Int.random(in: 0..<3, using: &dice) == 0 ? .deny(message: "no") : .allow
            if verdict == .allow { allowed.insert(one.request.approval) }
            let decision = Decision(verdict, client: ClientID("c")!, clientName: "n", at: 1, command: CommandID("k")!)
            tell(.decided(one.session, one.request.approval, one.request.digest, decision))
        }

        private mutating func advance(_ milliseconds: Int64) {
            let end = now.monotonic + milliseconds
            while let due = adapter.nextDeadline, due <= end {
                pass(to: max(due, now.monotonic + 1))
                tell(.timerFired)
            }
            pass(to: max(end, now.monotonic))
        }

        private mutating func pass(to monotonic: Int64) {
            now.wall += monotonic - now.monotonic
            now.monotonic = monotonic
        }

        private mutating func tell(_ input: LocalInput) {
            for effect in adapter.handle(input, at: now) {
                switch effect {
                case .emit(let session, let bytes, _):
                    guard let head = try? Event(stored: bytes).head else {
                        Issue.record("seed \(seed): not an event")
                        continue
                    }
                    if case .approvalRequested(let request) = head { shown.append((session, request)) }
                    if case .approvalDelivered(let id) = head { delivered = id }
                case .remember(let key, let note): notes[key] = note
                case .respond(let token, let output):
                    let digest = waiting.removeValue(forKey: token)
                    #expect(digest != nil, "seed \(seed): answered twice, or nobody")
                    if output == Array(#"{"decision":"allow"}"#.utf8) { check(digest ?? nil) }
                case .own(.findLinks(let token, _, _)): tell(.own(.linksFound(token, [:])))
                case .own(.refuse(let token, _)):
                    #expect(waiting.removeValue(forKey: token) != nil, "seed \(seed): answered twice")
                case .stream, .show, .restrict, .heed, .checkAgents, .offer, .stands, .steered, .askAll, .launched, .launch,
                    .begin:
                    break
                }
            }
        }

        private mutating func check(_ digest: InputDigest?) {
            guard let id = delivered, let request = shown.last(where: { $0.request.approval == id })?.request else {
                Issue.record("seed \(seed): allowed what nobody saw")
                return
            }
            #expect(allowed.contains(id) && request.digest == digest, "seed \(seed): allowed by nobody")
            let first = handed[id] ?? (now.monotonic, life)
            handed[id] = first
            #expect(life > first.life || now.monotonic - first.at <= 10_000, "seed \(seed): allowed again")
        }
    }
}
