import PushTestSupport
import RelayProtocol
import Testing

@testable import PushPlanner

@Suite struct GermanWordsTests {
    private func subject(_ approval: Approval?, text: PushText = .full, change: (inout Summary) -> Void = { _ in })
        -> PushSubject
    {
        var subject = PushSubjects.subject(PushSubjects.summary(change), approval: approval, text: text)
        subject.language = PushLanguage(tag: "de-DE")
        return subject
    }

    private func compose(_ kind: AlertKind, _ subject: PushSubject) -> AlertText {
        .compose(kind: kind, subject: subject, textMax: .full, bytesMax: Payload.alertTextBytesMax)
    }

    @Test(arguments: [
        ("de", true), ("de-AT", true), ("DE", true), ("en", false), ("fr", false), ("den", false), (nil, false),
    ])
    func `a device reads its own language, or English`(tag: String?, isGerman: Bool) {
        #expect(PushLanguage(tag: tag).words.allow == (isGerman ? "Erlauben" : "Allow"))
    }

    @Test func `an approval is asked for in German, and what the host wrote stays`() {
        let alert = compose(.approval, subject(PushSubjects.approval(title: "Allow", risks: ["Deletes files."])))
        #expect(alert.title == "claude will Bash ausführen")
        #expect(alert.subtitle == "relay · Fix APNs client")
        #expect(alert.body == "Genau hinsehen: Deletes files.\ncommand: swift test")
        #expect(alert.isWhole)
        let summary = compose(.approval, subject(PushSubjects.approval(title: "Allow", alert: nil)))
        #expect(summary.body == "Allow")
        let tool = PushSubjects.approval(tool: "mcp__github__create_issue", alert: nil)
        #expect(compose(.approval, subject(tool)).title == "claude will create_issue von github benutzen")
    }

    @Test func `whoever wants no details reads none in German either`() {
        let generic = compose(.approval, subject(PushSubjects.approval(), text: .generic))
        #expect(
            (generic.title, generic.body) == (
                "Ein Agent braucht eine Freigabe", "Öffne diese Mitteilung, um zu sehen, was er fragt."
            ))
    }

    @Test func `numbers and money read as they do in German`() {
        let finished = compose(.finished, subject(nil) { $0.status = .completed })
        #expect(finished.title == "claude ist fertig")
        #expect(finished.body == "20 min · 12 Werkzeuge · 3 von 7 Aufgaben · 0,41\u{A0}$")
        #expect(compose(.budget, subject(nil)).body == "Diese Session hat 0,41\u{A0}$ gekostet.")
        #expect(GermanWords().money(1) == "<0,01\u{A0}$" && GermanWords().duration(3_900_000) == "1 h 5 min")
    }

    @Test func `what waits is counted`() {
        let words = GermanWords()
        #expect(AlertText.waiting(more: 1, all: 4, questions: 1, words).title == "1 weitere Frage wartet")
        #expect(AlertText.waiting(more: 3, all: 6, questions: 1, words).title == "3 weitere Freigaben und Fragen warten")
        #expect(AlertText.waiting(more: 0, all: 1, questions: 0, words).body == "Eines wartet, mit eigener Mitteilung.")
    }

    @Test func `a decision names who took it`() {
        #expect(GermanWords().decided(.deny, by: "Adas Handy") == "Abgelehnt von Adas Handy")
        #expect(GermanWords().decided(.allow, by: nil) == "Anderswo erlaubt")
    }

    @Test func `a week is compared with the one before`() {
        func report(_ cost: Int64) -> CostReport {
            var report = CostReport()
            report.total.costMicroUSD = cost
            report.projects = [CostReport.Share(name: "relay", sum: report.total)]
            return report
        }
        let week = WeeklyWords(week: report(5_000_000), before: report(2_000_000), hidesCost: false, words: GermanWords())
        let text = week.text(naming: true)
        #expect(text.title == "Diese Woche: 5,00\u{A0}$")
        #expect(text.body == "3,00\u{A0}$ mehr als in der Woche davor (2,00\u{A0}$). Am teuersten: Projekt relay, 5,00\u{A0}$.")
    }
}
