struct EnglishKitWords: KitWords {
    let decimalMark = "."
    func dollars(_ amount: String) -> String { "$\(amount)" }
    func guessed(_ money: String) -> String { "~\(money) guessed" }
    let justNow = "just now"
    func ago(_ duration: String) -> String { "\(duration) ago" }
    let lastHeard = (before: "Last heard ", after: " ago")

    let starting = "Starting"
    let working = "Working"
    func sessions(_ count: Int) -> String { Self.count(count, "session") }
    func approvalsNeeded(_ count: Int) -> String { count > 1 ? "\(count) approvals needed" : "Approval needed" }
    func questions(_ count: Int) -> String { count > 1 ? "\(count) questions" : "Question" }
    func ofBudget(_ percent: Int) -> String { "\(percent) % of budget" }
    let idle = "Idle"
    let failed = "Failed"
    let done = "Done"
    let outOfTouch = "Out of touch"
    let deny = "Deny"
    let allow = "Allow"
    let review = "Review"
    let answer = "Answer"
    let open = "Open"
    func deny(_ tool: String) -> String { "Deny \(tool)" }
    func allow(_ tool: String) -> String { "Allow \(tool)" }
    func review(_ tool: String) -> String { "Review what \(tool) would do" }
    let answerQuestion = "Answer the question"
    let session = "Session"
    let agent = "Agent"
    let host = "Host"
    let aTool = "A tool"
    let needsApproval = "An agent needs approval"
    let hasQuestion = "An agent has a question"

    func spokenSeconds(_ count: Int) -> String { Self.count(count, "second") }
    func spokenMinutes(_ count: Int) -> String { Self.count(count, "minute") }
    func spokenHours(_ count: Int) -> String { Self.count(count, "hour") }
    func spokenDays(_ count: Int) -> String { Self.count(count, "day") }
    func and(_ first: String, _ second: String) -> String { "\(first) and \(second)" }
    func title(_ title: String, inProject project: String) -> String { "\(title), project \(project)" }
    func tasksDone(_ completed: Int, of total: Int) -> String {
        "\(completed) of \(Self.count(total, "task")) \(completed == 1 ? "is" : "are") done."
    }
    let lessThanACent = "less than a cent"
    func cost(_ cost: String?, guess: String?) -> String {
        guard let cost else { return "Its agent guesses that it has cost \(guess ?? "")." }
        return "It has cost \(cost)\(guess.map { ", and its agent guesses \($0) more" } ?? "")."
    }
    func budgetSpent(_ percent: Int) -> String { "\(percent) percent of a budget is spent." }
    let mayBeOutdated = "This may be out of date."
    func isStarting(_ agent: String) -> String { "\(agent) is starting." }
    func sessionsWork(_ count: Int) -> String { "\(count) sessions are working." }
    func isWorking(_ agent: String, at operation: String?) -> String {
        "\(agent) is working\(operation.map { ": \($0)" } ?? "")"
    }
    func approvalsWait(_ count: Int) -> String { "\(Self.count(count, "approval")) \(count == 1 ? "waits" : "wait") for you." }
    func wants(_ agent: String, _ wish: String) -> String { "\(agent) wants to use \(wish)" }
    func waitInAll(_ approvals: Int) -> String { "\(Self.count(approvals, "approval")) wait in all." }
    func asks(_ agent: String, _ question: String?) -> String {
        "\(agent) asks\(question.map { ": \($0)" } ?? " you something")"
    }
    func worksWithBudget(_ agent: String, spent percent: Int) -> String {
        "\(agent) is working, and \(percent) percent of a budget is spent."
    }
    func isIdle(_ agent: String) -> String { "\(agent) is idle." }
    func failed(_ agent: String, _ error: String?) -> String { "\(agent) failed\(error.map { ": \($0)" } ?? "")" }
    func isDone(_ agent: String, after duration: String) -> String { "\(agent) is done after \(duration)." }
    func notHeard(_ agent: String) -> String { "Nothing was heard of \(agent) for a while, so what is shown may be wrong." }

    let agentNeedsYou = "An agent needs you"
    func allowQuestion(_ tool: String, _ host: String) -> String { "Allow \(tool)? · \(host)" }
    func lookTwice(_ risks: String) -> String { "Look twice: \(risks)" }
    let openToDecide = "Open the app to decide this."
    let unreachable = "The relay cannot be reached. Open the app to see whether this was decided."
    let unknownPhone = "The relay does not know this phone any more. Pair it again."
    let decidedAlready = "This was decided already, or the alert is too old. Open the app to see."
    let notDecided = "This could not be decided here. Open the app."
    let applied = "Your decision was applied."
    let onItsWay = "Your decision is on its way to the agent."
    func decided(_ decision: String, by client: String) -> String {
        switch decision {
        case "allow": "\(client) has already allowed this."
        case "deny": "\(client) has already denied this."
        default: "\(client) has already answered this."
        }
    }
    let refused = "The relay refused this"

    private static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
}
