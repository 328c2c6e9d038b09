import Foundation
import Testing

@testable import LiveActivityKit

@Suite("The kit's words in German") struct GermanWordsTests {
    private let german = KitLanguage.words("de-AT")

    private func face(_ json: String) throws -> CardFace {
        CardFace(try Fixtures.attributes(), try Fixtures.state(json), language: "de-AT", now: moment)
    }

    @Test func `a language that has no words here is English`() {
        #expect(KitLanguage.words("fr").justNow == "just now" && KitLanguage.words("").justNow == "just now")
        #expect(KitLanguage.words("DE").justNow == "gerade eben" && german.justNow == "gerade eben")
    }

    @Test func `a card speaks it, and what the agent wrote stays`() throws {
        let working = try face(Fixtures.working)
        #expect(
            (working.title, working.status, working.detail, working.cost)
                == ("Fix APNs client", "Arbeitet", "Editing APNsClient.swift", "0,41\u{A0}$"))
        #expect(
            working.accessibilityLabel
                == "Fix APNs client, Projekt relay. Claude Code arbeitet: Editing APNsClient.swift. 3 von 7 Aufgaben sind fertig. "
                + "Das hat 0,41\u{A0}$ gekostet.")
        let asked = try face(Fixtures.aggregate)
        #expect(asked.status == "2 Freigaben nötig")
        #expect(asked.accessibilityLabel.contains("will ein Werkzeug benutzen, Bash: swift te… Insgesamt warten 2 Freigaben."))
        #expect(try face(Fixtures.question).status == "Frage")
        #expect(try face(Fixtures.budget).status == "80 % vom Budget")
        #expect(try face(Fixtures.failed).accessibilityLabel.contains("Claude Code ist gescheitert: The API refused the key."))
    }

    @Test func `durations and costs read as they do in German`() {
        #expect(CardText.age(of: moment, at: moment.addingTimeInterval(720), language: "de") == "vor 12 min")
        #expect(CardText.spokenDuration(3_660, language: "de") == "1 Stunde und 1 Minute")
        #expect(CardText.cost(microUSD: 5_000, estimate: 2_000_000, language: "de") == "<0,01\u{A0}$ + ~2,00\u{A0}$ geschätzt")
        #expect(CardText.dollars(microUSD: -413_200, language: "de") == "-0,41\u{A0}$")
    }

    @Test func `buttons and their answers`() {
        #expect(AlertCategory.approval.actions.map { $0.title(german) } == ["Ablehnen", "Erlauben", "Ansehen"])
        #expect(DecisionDesk.Outcome.needsApp.trouble(german) == "Öffne die App, um das zu entscheiden.")
        let winner = DecisionReply.Winner(decision: "deny", client: "Adas Laptop")
        #expect(
            DecisionReply.refused(code: "conflict", message: "", winner: winner).sentence(german)
                == "Adas Laptop hat das schon abgelehnt.")
        #expect(
            DecisionReply.refused(code: "expired", message: "this is over", winner: nil).sentence(german) == "this is over.")
    }
}
