import RelayProtocol

struct EnglishWords: PushWords {
    let decimalMark = "."
    func dollars(_ amount: String) -> String { "$\(amount)" }

    func tools(_ count: Int64) -> String { "\(count) tool\(count == 1 ? "" : "s")" }
    func tasks(_ completed: Int64, of total: Int64) -> String { "\(completed) of \(total) tasks" }
    func lines(added: Int64, removed: Int64) -> String { "+\(added) −\(removed) lines" }
    func guessed(_ money: String) -> String { "~\(money) guessed" }
    func unpriced(_ tokens: String) -> String { "\(tokens) tokens without a price" }
    let openToSeeCost = "Open this notification to see what it has cost."
    func cost(_ money: String?, guess: String?) -> String {
        switch (money, guess) {
        case (let money?, let guess?): "This session has cost \(money), and its agent guesses \(guess) more."
        case (nil, let guess?): "Its agent guesses that this session has cost \(guess)."
        case (let money?, nil): "This session has cost \(money)."
        case (nil, nil): "This session has not told its cost."
        }
    }

    func failed(_ agent: String) -> String { "\(agent) failed" }
    func hasProblem(_ agent: String?) -> String { "\(agent ?? "An agent") has a problem" }
    func finished(_ agent: String?) -> String { agent.map { "\($0) finished" } ?? "An agent has finished" }
    func isWorking(_ agent: String?) -> String { "\(agent ?? "An agent") is working" }
    func isStillWorking(_ agent: String?) -> String { "\(agent ?? "An agent") is still working" }
    func openToFollow(_ figures: String) -> String { "\(figures). Open this notification to follow it." }
    func budgetReached(_ percent: Int64) -> String { "A budget has reached \(percent) %" }
    let budgetCrossed = "A budget was crossed"

    let needsApproval = "An agent needs approval"
    let hasQuestion = "An agent has a question"
    let openToSee = "Open this notification to see what it asks."
    let openToAnswer = "Open this notification to answer it."
    func asks(_ agent: String) -> String { "\(agent) asks" }
    func wants(_ agent: String, _ deed: ToolDeed?) -> String {
        switch deed {
        case .plan: "\(agent) wants to go ahead with a plan"
        case .question: "\(agent) wants to ask a question"
        case .use(let tool, let server): "\(agent) wants to use \(tool) of \(server)"
        case .run(let tool): "\(agent) wants to run \(tool)"
        case nil: "\(agent) wants to run a tool"
        }
    }
    func lookTwice(_ risks: String) -> String { "Look twice: \(risks)" }
    let partsAreHidden = "Parts are hidden because they may be secret. Deny it here, or look at the terminal."
    let allow = "Allow"
    let deny = "Deny"

    let questionIsSettled = "A question is settled"
    let approvalIsSettled = "An approval is settled"
    func decided(_ deed: Decision.Verdict.Deed, by decider: String?) -> String {
        let whose = decider.map { "by \($0)" } ?? "elsewhere"
        return switch deed {
        case .allow: "Allowed \(whose)"
        case .deny: "Denied \(whose)"
        case .answer: "Answered \(whose)"
        }
    }
    let nobodyDecided = "Nobody decided in time"
    let sessionHasEnded = "Its session has ended"
    let settledAtTerminal = "Settled at the terminal"

    let noMoreWait = "No more wait"
    func waitAlone(_ count: Int64) -> String {
        switch count {
        case 0: "Everything is settled."
        case 1: "One waits, with a notification of its own."
        default: "\(count) wait, each with a notification of its own."
        }
    }
    func wait(more: Int64, questions: Int64) -> String {
        let kind = questions == 0 ? "approval" : questions == more ? "question" : "approvals and question"
        return "\(more) more \(kind)\(more == 1 ? " waits" : "s wait")"
    }
    func waitInAll(_ count: Int64) -> String {
        "\(count) wait\(count == 1 ? "s" : "") in all. Open this notification to see them."
    }

    let meanwhile = "Meanwhile"
    func happened(_ kind: AlertKind, _ count: Int64) -> String {
        let s = count == 1 ? "" : "s"
        return switch kind {
        case .approval: "\(count) approval\(s)"
        case .question: "\(count) question\(s)"
        case .error: "\(count) error\(s)"
        case .finished: "\(count) run\(s) finished"
        case .budget: "\(count) budget\(s) crossed"
        }
    }
    func answeredByRules(_ count: Int64) -> String { "\(count) \(count == 1 ? "call" : "calls") answered by rules" }
    let weekOfAgents = "A week of agents"
    let openPageToSeeCost = "Open the page to see what it has cost."
    func thisWeek(_ amount: String) -> String { "This week: \(amount)" }
    let noCost = "nothing"
    let noKnownPrice = "no known price"
    let asMuchAsBefore = "As much as in the week before."
    func comparedWithBefore(_ difference: String, isMore: Bool, before: String) -> String {
        "\(difference) \(isMore ? "more" : "less") than in the week before (\(before))."
    }
    let nothingBefore = "In the week before nothing was used."
    func weekBefore(_ amount: String) -> String { "The week before: \(amount)." }
    func dearest(project: String?, model: String?) -> String {
        let found = [project.map { "project \($0)" }, model.map { "model \($0)" }].compactMap(\.self)
        return "Dearest: \(found.joined(separator: "; "))."
    }

    func pushesReach(_ device: String) -> String { "Pushes reach \(device)." }
}
