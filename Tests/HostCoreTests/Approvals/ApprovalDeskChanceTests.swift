import HeliographTestSupport
import RelayProtocol
import Testing

@testable import HostCore

/// Promise 6 by chance: whatever fails, in whatever order, the agent gets no more freedom than a person gave it.
@Suite("The approval desk: whatever happens")
struct ApprovalDeskChanceTests {
    private static let inputs = ["ls", "rm -rf ~", "make"]

    @Test(
        "a hook is allowed only by a decision for its own input, answered at most once, and waits no longer than a question lives"
    )
    func promises() {
        for seed in 0..<300 as Range<UInt64> {
            var walk = Walk(seed: seed)
            for _ in 0..<80 { walk.step() }
            walk.end()
        }
    }

    /// The state known from outside.
    private struct Walk {
        private var dice: SeededDice
        private let seed: UInt64
        private var desk: ApprovalDesk<PlainForm>
        private var now = HostInstant(wall: 1_800_000_000_000, monotonic: 50_000)
        private var notes: [ApprovalID: [UInt8]] = [:]
        private var waiting: [HookToken: (run: String, digest: InputDigest)] = [:]
        private var runs: [(run: String, input: String, isCut: Bool)] = []
        private var shown: [(id: ApprovalID, run: String, digest: InputDigest)] = []
        /// Runs that were allowed, with the digests that were shown.
        private var allowed: [String: Set<InputDigest>] = [:]
        /// Questions that no event held whole.
        private var cut: Set<ApprovalID> = []
        private var tokens: UInt64 = 0

        init(seed: UInt64) {
            self.seed = seed
            dice = SeededDice(seed: seed)
            desk = ApprovalDesk(DeskBench.limits, DeskBench.digests, at: now)
        }

        mutating func step() {
            advance(Int64.random(in: 0...3_000, using: &dice))
            switch Int.random(in: 0..<16, using: &dice) {
            case 0...2:
                runs.append(("r\(runs.count)", inputs.randomElement(using: &dice)!, Int.random(in: 0..<5, using: &dice) == 0))
                ask(runs[runs.count - 1], attempt: 1)
            case 3, 4: if let run = runs.randomElement(using: &dice) { ask(run, attempt: 2) }
            case 5...7: decide()
            case 8:
                guard let token = waiting.keys.sorted(by: { $0.rawValue < $1.rawValue }).randomElement(using: &dice) else {
                    return
                }
                waiting[token] = nil
                tell(.hookGone(token))
            case 9:
                waiting = [:]
                desk = ApprovalDesk(DeskBench.limits, DeskBench.digests, at: now)
                tell(.restarted(notes: notes))
            case 10: tell(.linkChanged(isLive: Bool.random(using: &dice)))
            case 11: if let one = shown.randomElement(using: &dice) { tell(.notRecorded(one.id)) }
            case 12:
                guard let one = shown.randomElement(using: &dice) else { return }
                cut.insert(one.id)
                tell(.cut(one.id))
            case 13: if let one = shown.randomElement(using: &dice) { tell(.shown(one.id, .turnEnded(wentOn: false))) }
            case 14: if let one = shown.randomElement(using: &dice) { tell(.shown(one.id, .reported(.rejection))) }
            default: advance(Int64.random(in: 0...20_000, using: &dice))
            }
        }

        mutating func end() {
            advance(600_000)
            #expect(waiting.isEmpty, "seed \(seed)")
        }

        private var inputs: [String] { ApprovalDeskChanceTests.inputs }

        private mutating func ask(_ run: (run: String, input: String, isCut: Bool), attempt: Int) {
            guard !waiting.values.contains(where: { $0.run == run.run }) else { return }
            tokens += 1
            // Now and then another asks under its name.
            let input = Int.random(in: 0..<10, using: &dice) == 0 ? inputs.randomElement(using: &dice)! : run.input
            var question = DeskBench.question(input, token: tokens, run: run.run, attempt: attempt)
            question.isCut = run.isCut
            question.isAttended = tokens % 3 > 0
            waiting[question.token] = (run.run, question.digest)
            tell(.asked(question))
        }

        private mutating func decide() {
            guard let one = shown.randomElement(using: &dice) else { return }
            let verdict: Decision.Verdict = Int.random(in: 0..<3, using: &dice) == 0 ? .deny(message: "no") : .allow
            let digest = Int.random(in: 0..<5, using: &dice) == 0 ? shown.randomElement(using: &dice)!.digest : one.digest
            if verdict == .allow, digest == one.digest { allowed[one.run, default: []].insert(digest) }
            let decision = Decision(verdict, client: ClientID("c")!, clientName: "n", at: 1, command: CommandID("k")!)
            tell(.decided(DeskBench.session, one.id, digest, decision))
        }

        private mutating func advance(_ milliseconds: Int64) {
            let end = now.monotonic + milliseconds
            while let due = desk.nextDeadline, due <= end {
                pass(to: max(due, now.monotonic + 1))
                tell(.timerFired)
                guard desk.nextDeadline.map({ $0 > now.monotonic }) != false else {
                    Issue.record("seed \(seed): a timer that is due again at once, for ever")
                    return
                }
            }
            pass(to: max(end, now.monotonic))
        }

        private mutating func pass(to monotonic: Int64) {
            now.wall += monotonic - now.monotonic
            now.monotonic = monotonic
        }

        private mutating func tell(_ fact: ApprovalFact<PlainForm>) {
            for order in desk.handle(fact, at: now) {
                switch order {
                case .remember(let id, let note): notes[id] = note
                case .show(let id): if let approval = desk[id] { shown.append((id, approval.run ?? "", approval.digest)) }
                case .deliver(let id, let token, let output):
                    let call = waiting.removeValue(forKey: token)
                    #expect(call != nil, "seed \(seed): answered twice, or nobody")
                    guard output == Array("allow".utf8), let call else { continue }
                    #expect(allowed[call.run]?.contains(call.digest) == true, "seed \(seed): allowed by nobody")
                    let isCut = cut.contains(id) || runs.first { $0.run == call.run }?.isCut != false
                    #expect(!isCut, "seed \(seed): allowed unseen")
                case .abstain(let token): #expect(waiting.removeValue(forKey: token) != nil, "seed \(seed): answered twice")
                case .judge(let id): tell(.shown(id, .deniedAtTerminal))
                case .reopened, .settled, .emit, .check: break
                }
            }
        }
    }
}
