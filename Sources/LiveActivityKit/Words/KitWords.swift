/// The kit's own words on cards, buttons and notifications, in one language. What agents, hosts and people wrote is inserted as it is.
///
/// A language is a type that conforms: one that lacks a sentence does not compile.
package protocol KitWords: Sendable {
    // Figures
    /// Separates dollars and cents.
    var decimalMark: String { get }
    func dollars(_ amount: String) -> String
    func guessed(_ money: String) -> String
    var justNow: String { get }
    func ago(_ duration: String) -> String
    /// The words before and after the time since the last report.
    var lastHeard: (before: String, after: String) { get }

    // On a card
    var starting: String { get }
    var working: String { get }
    func sessions(_ count: Int) -> String
    func approvalsNeeded(_ count: Int) -> String
    func questions(_ count: Int) -> String
    func ofBudget(_ percent: Int) -> String
    var idle: String { get }
    var failed: String { get }
    var done: String { get }
    var outOfTouch: String { get }
    var deny: String { get }
    var allow: String { get }
    var review: String { get }
    var answer: String { get }
    var open: String { get }
    func deny(_ tool: String) -> String
    func allow(_ tool: String) -> String
    func review(_ tool: String) -> String
    var answerQuestion: String { get }
    var session: String { get }
    var agent: String { get }
    var host: String { get }
    var aTool: String { get }
    var needsApproval: String { get }
    var hasQuestion: String { get }

    // For a screen reader
    func spokenSeconds(_ count: Int) -> String
    func spokenMinutes(_ count: Int) -> String
    func spokenHours(_ count: Int) -> String
    func spokenDays(_ count: Int) -> String
    func and(_ first: String, _ second: String) -> String
    func title(_ title: String, inProject project: String) -> String
    func tasksDone(_ completed: Int, of total: Int) -> String
    var lessThanACent: String { get }
    /// `guess`: the agent's own estimate of further costs. One of both is known.
    func cost(_ cost: String?, guess: String?) -> String
    func budgetSpent(_ percent: Int) -> String
    var mayBeOutdated: String { get }
    func isStarting(_ agent: String) -> String
    func sessionsWork(_ count: Int) -> String
    func isWorking(_ agent: String, at operation: String?) -> String
    func approvalsWait(_ count: Int) -> String
    func wants(_ agent: String, _ wish: String) -> String
    func waitInAll(_ approvals: Int) -> String
    func asks(_ agent: String, _ question: String?) -> String
    func worksWithBudget(_ agent: String, spent percent: Int) -> String
    func isIdle(_ agent: String) -> String
    func failed(_ agent: String, _ error: String?) -> String
    func isDone(_ agent: String, after duration: String) -> String
    func notHeard(_ agent: String) -> String

    // In notifications
    var agentNeedsYou: String { get }
    func allowQuestion(_ tool: String, _ host: String) -> String
    func lookTwice(_ risks: String) -> String
    var openToDecide: String { get }
    var unreachable: String { get }
    var unknownPhone: String { get }
    var decidedAlready: String { get }
    var notDecided: String { get }
    var applied: String { get }
    var onItsWay: String { get }
    /// - Parameter decision: `allow`, `deny` or `answer`.
    func decided(_ decision: String, by client: String) -> String
    var refused: String { get }
}
