import RelayProtocol

struct GermanWords: PushWords {
    let decimalMark = ","
    func dollars(_ amount: String) -> String { "\(amount)\u{A0}$" }

    func tools(_ count: Int64) -> String { count == 1 ? "1 Werkzeug" : "\(count) Werkzeuge" }
    func tasks(_ completed: Int64, of total: Int64) -> String { "\(completed) von \(total) Aufgaben" }
    func lines(added: Int64, removed: Int64) -> String { "+\(added) −\(removed) Zeilen" }
    func guessed(_ money: String) -> String { "~\(money) geschätzt" }
    func unpriced(_ tokens: String) -> String { "\(tokens) Tokens ohne Preis" }
    let openToSeeCost = "Öffne diese Mitteilung, um zu sehen, was es gekostet hat."
    func cost(_ money: String?, guess: String?) -> String {
        switch (money, guess) {
        case (let money?, let guess?): "Diese Session hat \(money) gekostet, und ihr Agent schätzt \(guess) dazu."
        case (nil, let guess?): "Ihr Agent schätzt, dass diese Session \(guess) gekostet hat."
        case (let money?, nil): "Diese Session hat \(money) gekostet."
        case (nil, nil): "Was diese Session gekostet hat, ist nicht bekannt."
        }
    }

    func failed(_ agent: String) -> String { "\(agent) ist gescheitert" }
    func hasProblem(_ agent: String?) -> String { "\(agent ?? "Ein Agent") hat ein Problem" }
    func finished(_ agent: String?) -> String { "\(agent ?? "Ein Agent") ist fertig" }
    func isWorking(_ agent: String?) -> String { "\(agent ?? "Ein Agent") arbeitet" }
    func isStillWorking(_ agent: String?) -> String { "\(agent ?? "Ein Agent") arbeitet noch" }
    func openToFollow(_ figures: String) -> String { "\(figures). Öffne diese Mitteilung, um dabei zu sein." }
    func budgetReached(_ percent: Int64) -> String { "Ein Budget ist bei \(percent) %" }
    let budgetCrossed = "Ein Budget ist überschritten"

    let needsApproval = "Ein Agent braucht eine Freigabe"
    let hasQuestion = "Ein Agent hat eine Frage"
    let openToSee = "Öffne diese Mitteilung, um zu sehen, was er fragt."
    let openToAnswer = "Öffne diese Mitteilung, um zu antworten."
    func asks(_ agent: String) -> String { "\(agent) fragt" }
    func wants(_ agent: String, _ deed: ToolDeed?) -> String {
        switch deed {
        case .plan: "\(agent) will einen Plan umsetzen"
        case .question: "\(agent) will etwas fragen"
        case .use(let tool, let server): "\(agent) will \(tool) von \(server) benutzen"
        case .run(let tool): "\(agent) will \(tool) ausführen"
        case nil: "\(agent) will ein Werkzeug benutzen"
        }
    }
    func lookTwice(_ risks: String) -> String { "Genau hinsehen: \(risks)" }
    let partsAreHidden = "Teile sind verborgen, weil sie geheim sein können. Lehn es hier ab, oder sieh am Terminal nach."
    let allow = "Erlauben"
    let deny = "Ablehnen"

    let questionIsSettled = "Eine Frage ist erledigt"
    let approvalIsSettled = "Eine Freigabe ist erledigt"
    func decided(_ deed: Decision.Verdict.Deed, by decider: String?) -> String {
        switch (deed, decider) {
        case (.allow, let decider?): "Erlaubt von \(decider)"
        case (.deny, let decider?): "Abgelehnt von \(decider)"
        case (.answer, let decider?): "Beantwortet von \(decider)"
        case (.allow, nil): "Anderswo erlaubt"
        case (.deny, nil): "Anderswo abgelehnt"
        case (.answer, nil): "Anderswo beantwortet"
        }
    }
    let nobodyDecided = "Niemand hat rechtzeitig entschieden"
    let sessionHasEnded = "Die Session ist zu Ende"
    let settledAtTerminal = "Am Terminal erledigt"

    let noMoreWait = "Nichts weiter wartet"
    func waitAlone(_ count: Int64) -> String {
        switch count {
        case 0: "Alles ist erledigt."
        case 1: "Eines wartet, mit eigener Mitteilung."
        default: "\(count) warten, jedes mit eigener Mitteilung."
        }
    }
    func wait(more: Int64, questions: Int64) -> String {
        if more == 1 { return questions == 0 ? "1 weitere Freigabe wartet" : "1 weitere Frage wartet" }
        let kind = questions == 0 ? "Freigaben" : questions == more ? "Fragen" : "Freigaben und Fragen"
        return "\(more) weitere \(kind) warten"
    }
    func waitInAll(_ count: Int64) -> String {
        "Insgesamt \(count == 1 ? "wartet eines" : "warten \(count)"). Öffne diese Mitteilung, um sie zu sehen."
    }

    let meanwhile = "Inzwischen"
    func happened(_ kind: AlertKind, _ count: Int64) -> String {
        let (one, many) =
            switch kind {
            case .approval: ("1 Freigabe", "Freigaben")
            case .question: ("1 Frage", "Fragen")
            case .error: ("1 Fehler", "Fehler")
            case .finished: ("1 Lauf fertig", "Läufe fertig")
            case .budget: ("1 Budget überschritten", "Budgets überschritten")
            }
        return count == 1 ? one : "\(count) \(many)"
    }
    func answeredByRules(_ count: Int64) -> String {
        "\(count) \(count == 1 ? "Aufruf" : "Aufrufe") von Regeln beantwortet"
    }
    let weekOfAgents = "Eine Woche Agenten"
    let openPageToSeeCost = "Öffne die Seite, um zu sehen, was es gekostet hat."
    func thisWeek(_ amount: String) -> String { "Diese Woche: \(amount)" }
    let noCost = "nichts"
    let noKnownPrice = "kein bekannter Preis"
    let asMuchAsBefore = "So viel wie in der Woche davor."
    func comparedWithBefore(_ difference: String, isMore: Bool, before: String) -> String {
        "\(difference) \(isMore ? "mehr" : "weniger") als in der Woche davor (\(before))."
    }
    let nothingBefore = "In der Woche davor wurde nichts verbraucht."
    func weekBefore(_ amount: String) -> String { "Die Woche davor: \(amount)." }
    func dearest(project: String?, model: String?) -> String {
        let found = [project.map { "Projekt \($0)" }, model.map { "Modell \($0)" }].compactMap(\.self)
        return "Am teuersten: \(found.joined(separator: "; "))."
    }

    func pushesReach(_ device: String) -> String { "Mitteilungen kommen bei \(device) an." }
}
