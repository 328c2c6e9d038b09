struct GermanKitWords: KitWords {
    let decimalMark = ","
    func dollars(_ amount: String) -> String { "\(amount)\u{A0}$" }
    func guessed(_ money: String) -> String { "~\(money) geschätzt" }
    let justNow = "gerade eben"
    func ago(_ duration: String) -> String { "vor \(duration)" }
    let lastHeard = (before: "Zuletzt gehört vor ", after: "")

    let starting = "Startet"
    let working = "Arbeitet"
    func sessions(_ count: Int) -> String { count == 1 ? "1 Session" : "\(count) Sessions" }
    func approvalsNeeded(_ count: Int) -> String { count > 1 ? "\(count) Freigaben nötig" : "Freigabe nötig" }
    func questions(_ count: Int) -> String { count > 1 ? "\(count) Fragen" : "Frage" }
    func ofBudget(_ percent: Int) -> String { "\(percent) % vom Budget" }
    let idle = "Ruht"
    let failed = "Fehlgeschlagen"
    let done = "Fertig"
    let outOfTouch = "Kein Kontakt"
    let deny = "Ablehnen"
    let allow = "Erlauben"
    let review = "Ansehen"
    let answer = "Antworten"
    let open = "Öffnen"
    func deny(_ tool: String) -> String { "\(tool) ablehnen" }
    func allow(_ tool: String) -> String { "\(tool) erlauben" }
    func review(_ tool: String) -> String { "Ansehen, was \(tool) tun würde" }
    let answerQuestion = "Die Frage beantworten"
    let session = "Session"
    let agent = "Agent"
    let host = "Host"
    let aTool = "Ein Werkzeug"
    let needsApproval = "Ein Agent braucht eine Freigabe"
    let hasQuestion = "Ein Agent hat eine Frage"

    func spokenSeconds(_ count: Int) -> String { count == 1 ? "1 Sekunde" : "\(count) Sekunden" }
    func spokenMinutes(_ count: Int) -> String { count == 1 ? "1 Minute" : "\(count) Minuten" }
    func spokenHours(_ count: Int) -> String { count == 1 ? "1 Stunde" : "\(count) Stunden" }
    /// In the dative, as durations follow "nach" and "vor".
    func spokenDays(_ count: Int) -> String { count == 1 ? "1 Tag" : "\(count) Tagen" }
    func and(_ first: String, _ second: String) -> String { "\(first) und \(second)" }
    func title(_ title: String, inProject project: String) -> String { "\(title), Projekt \(project)" }
    func tasksDone(_ completed: Int, of total: Int) -> String {
        "\(completed) von \(total == 1 ? "1 Aufgabe" : "\(total) Aufgaben") \(completed == 1 ? "ist" : "sind") fertig."
    }
    let lessThanACent = "weniger als einen Cent"
    func cost(_ cost: String?, guess: String?) -> String {
        guard let cost else { return "Der Agent schätzt, dass das \(guess ?? "") gekostet hat." }
        return "Das hat \(cost) gekostet\(guess.map { ", und der Agent schätzt \($0) dazu" } ?? "")."
    }
    func budgetSpent(_ percent: Int) -> String { "\(percent) Prozent eines Budgets sind verbraucht." }
    let mayBeOutdated = "Das ist vielleicht nicht mehr aktuell."
    func isStarting(_ agent: String) -> String { "\(agent) startet." }
    func sessionsWork(_ count: Int) -> String { "\(count) Sessions arbeiten." }
    func isWorking(_ agent: String, at operation: String?) -> String { "\(agent) arbeitet\(operation.map { ": \($0)" } ?? "")" }
    func approvalsWait(_ count: Int) -> String {
        count == 1 ? "1 Freigabe wartet auf dich." : "\(count) Freigaben warten auf dich."
    }
    func wants(_ agent: String, _ wish: String) -> String { "\(agent) will ein Werkzeug benutzen, \(wish)" }
    func waitInAll(_ approvals: Int) -> String { "Insgesamt warten \(approvals) Freigaben." }
    func asks(_ agent: String, _ question: String?) -> String { "\(agent) fragt\(question.map { ": \($0)" } ?? " dich etwas")" }
    func worksWithBudget(_ agent: String, spent percent: Int) -> String {
        "\(agent) arbeitet, und \(percent) Prozent eines Budgets sind verbraucht."
    }
    func isIdle(_ agent: String) -> String { "\(agent) ruht." }
    func failed(_ agent: String, _ error: String?) -> String { "\(agent) ist gescheitert\(error.map { ": \($0)" } ?? "")" }
    func isDone(_ agent: String, after duration: String) -> String { "\(agent) ist nach \(duration) fertig." }
    func notHeard(_ agent: String) -> String {
        "Von \(agent) war eine Weile nichts zu hören, daher kann falsch sein, was hier steht."
    }

    let agentNeedsYou = "Ein Agent braucht dich"
    func allowQuestion(_ tool: String, _ host: String) -> String { "\(tool) erlauben? · \(host)" }
    func lookTwice(_ risks: String) -> String { "Genau hinsehen: \(risks)" }
    let openToDecide = "Öffne die App, um das zu entscheiden."
    let unreachable = "Das Relay ist nicht zu erreichen. Öffne die App, um zu sehen, ob das entschieden ist."
    let unknownPhone = "Das Relay kennt dieses Telefon nicht mehr. Kopple es neu."
    let decidedAlready = "Das ist schon entschieden, oder die Mitteilung ist zu alt. Öffne die App, um nachzusehen."
    let notDecided = "Das ließ sich hier nicht entscheiden. Öffne die App."
    let applied = "Deine Entscheidung ist angewandt."
    let onItsWay = "Deine Entscheidung ist auf dem Weg zum Agenten."
    func decided(_ decision: String, by client: String) -> String {
        switch decision {
        case "allow": "\(client) hat das schon erlaubt."
        case "deny": "\(client) hat das schon abgelehnt."
        default: "\(client) hat das schon beantwortet."
        }
    }
    let refused = "Das Relay hat das abgelehnt"
}
