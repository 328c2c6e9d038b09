import Foundation
import Testing

@testable import LiveActivityKit

@Suite("Decision desk") struct DecisionDeskTests {
    private struct Codes: DecisionDesk.Codes {
        var known: [String: String]
        func code(of approval: String) async -> String? { known[approval] }
    }

    private let relay = FakeRelay()
    private let told = Told()

    private let pauses = Pauses()

    private actor Told {
        var sentences: [String] = []
        func add(_ sentence: String) { sentences.append(sentence) }
    }

    private actor Pauses {
        var lengths: [Duration] = []
        func add(_ length: Duration) { lengths.append(length) }
    }

    private func desk(_ known: [String: String] = ["a1": "7.abc"]) -> DecisionDesk {
        let desk = DecisionDesk { [pauses] in await pauses.add($0) }
        desk.setUp(reporter: relay, codes: Codes(known: known)) { [told] sentence, _ in await told.add(sentence) }
        return desk
    }

    @Test("a card's button decides with the code of the alert")
    func press() async {
        await desk().press(.allow, approval: "a1")
        #expect(relay.heard == [FakeRelay.Heard(verdict: .allow, code: "7.abc")])
        #expect(await told.sentences.isEmpty)
    }

    private struct Signer: DecisionSigning {
        var proof: DecisionProof
        func proof(of verdict: Verdict, approval: String, shown: ShownAlert?) async -> DecisionProof {
            shown == ShownAlert(title: "Allow Bash? · laptop", subtitle: "", body: "ls") ? proof : .needsApp
        }
    }

    @Test("a button signs for the words that were shown; without them nothing is sent")
    func signs() async throws {
        let desk = desk()
        desk.setUp(reporter: relay, codes: Codes(known: ["a1": "7.abc"]), signer: Signer(proof: .signed("1.k.5.s"))) { _, _ in }
        let payload = try AlertPayload(userInfo: ["heliograph": ["session": "s1", "approval": "a1", "kind": "approval"]])
        let shown = ShownAlert(title: "Allow Bash? · laptop", subtitle: "", body: "ls")
        #expect(await desk.carryOut(.decide(.allow, payload, shown: shown)) == nil)
        #expect(relay.heard == [FakeRelay.Heard(verdict: .allow, code: "7.abc", signature: "1.k.5.s")])
        #expect(await desk.decide(.allow, approval: "a1") == .needsApp)
        #expect(relay.heard.count == 1)
    }

    @Test("without a code nothing is sent, and the person is told where to decide")
    func noCode() async {
        await desk([:]).press(.deny(), approval: "a1")
        #expect(relay.heard.isEmpty)
        #expect(await told.sentences == ["Open the app to decide this."])
    }

    @Test("a lost answer is asked for once more, and a lost relay is no decision")
    func unreachable() async {
        relay.fail(with: .unreachable)
        #expect(await desk().decide(.allow, approval: "a1") == .replied(.stands(stage: "decided")))
        #expect(relay.heard.count == 2)
        relay.fail(with: .unreachable, .unreachable)
        await desk().press(.allow, approval: "a1")
        #expect(await told.sentences == ["The relay cannot be reached. Open the app to see whether this was decided."])
    }

    @Test(
        "a relay that nobody answers for just now is asked once more, after a moment",
        arguments: [LiveActivityError.Code.busy, .unreachable])
    func busy(_ code: LiveActivityError.Code) async {
        relay.fail(with: code)
        #expect(await desk().decide(.deny(), approval: "a1") == .replied(.stands(stage: "decided")))
        let asked = FakeRelay.Heard(verdict: .deny(), code: "7.abc")
        #expect(relay.heard == [asked, asked])
        #expect(await pauses.lengths == [DecisionDesk.askAgainAfter])
        #expect(await told.sentences.isEmpty)
        relay.fail(with: code, code)
        await desk().press(.deny(), approval: "a1")
        #expect(relay.heard.count == 4, "once more, and not for ever")
        #expect(await told.sentences == ["The relay cannot be reached. Open the app to see whether this was decided."])
    }

    @Test(
        "what will not be otherwise is not asked for again",
        arguments: [LiveActivityError.Code.unauthorised, .notFound, .refused, .badAnswer])
    func lasting(_ code: LiveActivityError.Code) async {
        relay.fail(with: code)
        _ = await desk().decide(.allow, approval: "a1")
        #expect(relay.heard.count == 1)
        #expect(await pauses.lengths.isEmpty)
    }

    @Test("both tries and the moment between them are over before iOS ends an app that it woke")
    func isOverInTime() {
        let seconds = 2 * URLSessionExchange.requestSeconds + TimeInterval(DecisionDesk.askAgainAfter.components.seconds)
        #expect(seconds < 30)
    }

    @Test("a code that is used up says so")
    func usedUp() async {
        relay.fail(with: .unreachable, .notFound)
        await desk().press(.allow, approval: "a1")
        #expect(await told.sentences == ["This was decided already, or the alert is too old. Open the app to see."])
    }

    @Test("who was first is said")
    func conflict() async throws {
        let winner = DecisionReply.Winner(decision: "deny", client: "Ada's laptop")
        relay.answer(.refused(code: "conflict", message: "too late", winner: winner))
        let payload = try AlertPayload(
            userInfo: ["heliograph": ["session": "s1", "approval": "a2", "kind": "approval", "code": "8.def"]])
        #expect(await desk().carryOut(.decide(.allow, payload, shown: nil)) == nil)
        #expect(relay.heard.last?.code == "8.def")
        #expect(await told.sentences == ["Ada's laptop has already denied this."])
    }

    @Test("a tap opens what it is about")
    func open() async {
        #expect(await desk().carryOut(.open(.session("s1"))) == .session("s1"))
        #expect(relay.heard.isEmpty)
    }

    @Test("a desk that nobody set up decides nothing")
    func notSetUp() async {
        let outcome = await DecisionDesk().decide(.allow, approval: "a1", code: "7.abc")
        #expect(outcome.trouble == "This could not be decided here. Open the app.")
    }
}
