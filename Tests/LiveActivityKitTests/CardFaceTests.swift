import Foundation
import Testing

@testable import LiveActivityKit

@Suite("Card face") struct CardFaceTests {
    private func face(_ json: String, isOutdated: Bool = false) throws -> CardFace {
        CardFace(try Fixtures.attributes(), try Fixtures.state(json), isOutdated: isOutdated, now: moment)
    }

    @Test("at work")
    func working() throws {
        let face = try face(Fixtures.working)
        #expect(face.phase == .working)
        #expect((face.title, face.status, face.detail) == ("Fix APNs client", "Working", "Editing APNsClient.swift"))
        #expect((face.progressText, face.cost, face.badge) == ("3/7", "$0.41", nil))
        #expect(face.clock == .since(began))
        #expect(face.choices.isEmpty)
        #expect(face.link == .session("sess_7f3a"))
        #expect(
            face.accessibilityLabel
                == "Fix APNs client, project relay. Claude Code is working: Editing APNsClient.swift. 3 of 7 tasks are done. "
                + "It has cost $0.41.")
    }

    @Test("an approval that is shown whole can be denied and allowed")
    func wholeApproval() throws {
        let face = try face(Fixtures.approval)
        #expect(face.phase == .approval)
        #expect((face.status, face.detail, face.badge) == ("Approval needed", "swift test", 1))
        #expect(face.choices == [.deny, .allow])
        #expect(face.link == .approval(session: "sess_7f3a", id: "req_91"))
        #expect(face.accessibilityLabel.contains("Claude Code wants to use Bash: swift test."))
    }

    @Test("what was cut, might be cut, or is too long for a card is never allowed from it")
    func cutApproval() throws {
        let cut = Fixtures.approval.replacingOccurrences(of: "\"isWhole\":true", with: "\"isWhole\":false")
        #expect(try face(cut).choices == [.deny, .review])
        let unsaid = Fixtures.approval.replacingOccurrences(of: ",\"isWhole\":true", with: "")
        #expect(try face(unsaid).choices == [.deny, .review])
        let long = Fixtures.approval.replacingOccurrences(
            of: "swift test", with: String(repeating: "a", count: CardFace.wholeTextMax + 1))
        #expect(try face(long).choices == [.deny, .review])
    }

    @Test("a question is answered in the app")
    func question() throws {
        let face = try face(Fixtures.question)
        #expect(face.phase == .question)
        #expect(face.choices == [.answer])
        #expect(face.accessibilityLabel.contains("Claude Code asks: Which branch?"))
        #expect(!face.accessibilityLabel.contains("?."))
    }

    @Test("counts only: something waits, and nothing can be decided")
    func sealed() throws {
        let face = try face(Fixtures.sealed)
        #expect(face.phase == .approval)
        #expect((face.detail, face.badge) == (nil, 1))
        #expect(face.choices.isEmpty)
        #expect(face.link == .session("sess_7f3a"))
        #expect(face.accessibilityLabel.contains("1 approval waits for you."))
    }

    @Test("the card of all sessions leads to the approval that it shows")
    func aggregate() throws {
        let face = CardFace(
            try Fixtures.attributes(Fixtures.aggregateAttributes), try Fixtures.state(Fixtures.aggregate), now: moment)
        #expect((face.status, face.badge) == ("2 approvals needed", 3))
        #expect(face.link == .approval(session: "sess_7f3a", id: "req_91"))
        #expect(face.accessibilityLabel.contains("2 approvals wait in all."))
    }

    @Test("every level of a budget that is crossed is on the card, and what is spent is red")
    func budget() throws {
        let face = try face(Fixtures.budget)
        #expect(face.phase == .budget)
        #expect((face.status, face.cost, face.detail) == ("80 % of budget", "$4.10", "Running tests"))
        #expect(face.accessibilityLabel.contains("80 percent of a budget is spent."))
        for (level, phase, tint) in [
            (0, CardFace.Phase.working, CardFace.Tint.blue), (50, .budget, .orange), (100, .budget, .red),
        ] {
            let other = Fixtures.budget.replacingOccurrences(of: "\"budgetLevel\":80", with: "\"budgetLevel\":\(level)")
            let face = try self.face(other)
            #expect((face.phase, face.tint) == (phase, tint))
        }
    }

    @Test("a guess of the agent is shown and spoken as one, never as a cost")
    func guess() throws {
        func face(cost: Int, guess: Int) throws -> CardFace {
            try self.face(
                Fixtures.working.replacingOccurrences(
                    of: "\"costMicroUSD\":413200", with: "\"costMicroUSD\":\(cost),\"estimateMicroUSD\":\(guess)"))
        }
        let both = try face(cost: 413_200, guess: 2_000_000)
        #expect(both.cost == "$0.41 + ~$2.00 guessed")
        #expect(both.accessibilityLabel.hasSuffix("It has cost $0.41, and its agent guesses $2.00 more."))
        let guessed = try face(cost: 0, guess: 2_000_000)
        #expect(guessed.cost == "~$2.00 guessed")
        #expect(guessed.accessibilityLabel.hasSuffix("Its agent guesses that it has cost $2.00."))
    }

    @Test("over: the clock stands still, and age makes it no less true")
    func over() throws {
        let done = try face(Fixtures.done, isOutdated: true)
        #expect(done.phase == .done)
        #expect(done.clock == .text("30 min"))
        #expect(!done.isOutdated)
        #expect(done.accessibilityLabel.contains("Claude Code is done after 30 minutes."))
        let failed = try face(Fixtures.failed)
        #expect((failed.phase, failed.detail) == (.failed, "The API refused the key"))
        #expect(failed.accessibilityLabel.contains("Claude Code failed: The API refused the key."))
    }

    @Test("out of touch: the card says so, and still asks what it asked")
    func stale() throws {
        let working = try face(Fixtures.working, isOutdated: true)
        #expect((working.phase, working.detail, working.isOutdated) == (.stale, nil, true))
        let away = Fixtures.working.replacingOccurrences(of: "running", with: "stale")
        #expect(try face(away).phase == .stale)
        let approval = try face(Fixtures.approval, isOutdated: true)
        #expect((approval.phase, approval.isOutdated) == (.approval, true))
        #expect(approval.accessibilityLabel.hasSuffix("This may be out of date."))
    }

    @Test("a clock that would tick for days stands still")
    func longClock() throws {
        let face = CardFace(
            try Fixtures.attributes(), try Fixtures.state(Fixtures.working), now: began.addingTimeInterval(200_000))
        #expect(face.clock == .text("2 d"))
    }

    @Test("every phase has a sign of its own, and every label is whole sentences")
    func signs() throws {
        let states = [
            Fixtures.working, Fixtures.approval, Fixtures.question, Fixtures.done, Fixtures.failed, Fixtures.budget,
            Fixtures.working.replacingOccurrences(of: "running", with: "starting"),
            Fixtures.working.replacingOccurrences(of: "running", with: "idle"),
            Fixtures.working.replacingOccurrences(of: "running", with: "stale"),
        ]
        let faces = try states.map { try face($0) }
        #expect(Set(faces.map(\.phase)) == Set(CardFace.Phase.allCases))
        #expect(Set(faces.map(\.symbol)).count == faces.count)
        for face in faces {
            #expect(face.accessibilityLabel.last.map { ".?".contains($0) } == true)
            #expect(!face.accessibilityLabel.contains("  ") && !face.accessibilityLabel.contains(".."))
        }
    }
}
