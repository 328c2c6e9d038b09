public import Foundation

/// Content of a card, decided once for every place in which it is drawn: the Lock Screen, the Dynamic Island, a watch.
public struct CardFace: Sendable, Equatable {
    public enum Phase: String, Sendable, CaseIterable {
        case starting, working, approval, question
        /// Still working, after crossing a level of a budget.
        case budget
        case idle, failed, done
        /// Without a report for so long that the content may be wrong.
        case stale
    }

    public enum Tint: String, Sendable, CaseIterable { case blue, orange, purple, green, red, gray }

    public enum Clock: Sendable, Equatable {
        /// A duration that counts up from this time without a push.
        case since(Date)
        /// A text that does not move.
        case text(String)
    }

    /// An action that the card itself offers.
    public enum Choice: Sendable, Hashable {
        case allow, deny
        /// Opens the app, which shows the whole input.
        case review
        /// Opens the app, which takes the answer.
        case answer
    }

    /// Level at which a budget is used up, in percent.
    public static let budgetLevelSpent = 100
    /// Longer texts are not allowed from a card, even if they are whole: a Lock Screen shows 160 points.
    public static let wholeTextMax = 160
    /// Seconds after which a ticking clock is of no use.
    static let clockMax: TimeInterval = 86_400

    public var phase: Phase
    /// Name of an SF Symbol.
    public var symbol: String
    public var tint: Tint
    public var title: String
    public var status: String
    public var detail: String?
    /// From 0 to 1.
    public var progress: Double?
    public var progressText: String?
    public var clock: Clock
    public var cost: String?
    /// Number of approvals and questions that wait; nil if none does.
    public var badge: Int?
    /// True if the card asks the person for something.
    public var needsPerson: Bool
    /// The approval that the buttons decide; nil if nothing can be decided.
    public var approval: HeliographActivityAttributes.Approval?
    /// The actions offered. The views drop `.allow` if the whole text does not fit.
    public var choices: [Choice]
    /// Target of a tap; nil for the app's start.
    public var link: DeepLink?
    /// True if the content may be wrong; it is from `updatedAt`.
    public var isOutdated: Bool
    public var updatedAt: Date
    /// Everything above in whole sentences, for a screen reader.
    public var accessibilityLabel: String

    /// `isOutdated`: ActivityKit reports that the card's stale date has passed. `language`: a BCP 47 tag; nil for the app's.
    public init(
        _ attributes: HeliographActivityAttributes, _ state: HeliographActivityAttributes.ContentState,
        isOutdated: Bool = false, language: String? = nil, now: Date
    ) {
        let words = KitLanguage.words(language)
        phase = Self.phase(state, isOutdated)
        (symbol, tint) = Self.sign(of: phase)
        if phase == .budget, state.budgetLevel ?? 0 >= Self.budgetLevelSpent { tint = .red }
        title = attributes.title
        self.isOutdated = (isOutdated || state.status == .stale) && !state.status.isFinal
        updatedAt = state.updatedAt
        status = Self.status(phase, state, words)
        detail = Self.detail(phase, state)
        progress = state.progress.flatMap(CardText.fraction)
        progressText = state.progress.map(CardText.progress)
        clock = Self.clock(state, now)
        cost = CardText.cost(microUSD: state.costMicroUSD, estimate: state.estimateMicroUSD, language: language)
        let waiting = state.approvals + state.questions
        badge = waiting > 0 ? waiting : nil
        needsPerson = phase == .approval || phase == .question
        approval = needsPerson ? state.approval : nil
        choices = approval.map(Self.choices) ?? []
        link = Self.link(attributes, approval)
        accessibilityLabel = ""
        accessibilityLabel = spoken(attributes, state, words)
    }

    private static func phase(_ state: HeliographActivityAttributes.ContentState, _ isOutdated: Bool) -> Phase {
        switch state.status {
        case .completed: return .done
        case .failed: return .failed
        default: break
        }
        // An approval keeps waiting for the person, however old the last report is.
        if let approval = state.approval { return approval.isQuestion ? .question : .approval }
        if state.approvals > 0 || state.status == .waitingApproval { return .approval }
        if state.questions > 0 || state.status == .waitingAnswer { return .question }
        if isOutdated || state.status == .stale { return .stale }
        if let level = state.budgetLevel, level > 0 { return .budget }
        switch state.status {
        case .starting: return .starting
        case .idle: return .idle
        default: return .working
        }
    }

    private static func sign(of phase: Phase) -> (String, Tint) {
        switch phase {
        case .starting: ("hourglass", .gray)
        case .working: ("gearshape.2.fill", .blue)
        case .approval: ("hand.raised.fill", .orange)
        case .question: ("questionmark.bubble.fill", .purple)
        case .budget: ("dollarsign.circle.fill", .orange)
        case .idle: ("pause.circle.fill", .gray)
        case .failed: ("exclamationmark.triangle.fill", .red)
        case .done: ("checkmark.circle.fill", .green)
        case .stale: ("wifi.slash", .gray)
        }
    }

    private static func status(
        _ phase: Phase, _ state: HeliographActivityAttributes.ContentState, _ words: any KitWords
    ) -> String {
        switch phase {
        case .starting: words.starting
        case .working: state.sessions.map { $0 > 1 ? words.sessions($0) : words.working } ?? words.working
        case .approval: words.approvalsNeeded(state.approvals)
        case .question: words.questions(state.questions)
        case .budget: words.ofBudget(state.budgetLevel ?? 0)
        case .idle: words.idle
        case .failed: words.failed
        case .done: words.done
        case .stale: words.outOfTouch
        }
    }

    private static func detail(_ phase: Phase, _ state: HeliographActivityAttributes.ContentState) -> String? {
        switch phase {
        case .approval: state.approval.map { $0.summary.isEmpty ? $0.tool : $0.summary }
        case .question: state.approval?.summary ?? state.operation
        case .failed: state.error
        case .stale: nil
        default: state.error ?? state.operation ?? state.progress?.current
        }
    }

    private static func clock(_ state: HeliographActivityAttributes.ContentState, _ now: Date) -> Clock {
        if state.status.isFinal { return .text(CardText.duration(state.updatedAt.timeIntervalSince(state.startedAt))) }
        let age = now.timeIntervalSince(state.startedAt)
        return age < clockMax ? .since(state.startedAt) : .text(CardText.duration(age))
    }

    private static func choices(_ approval: HeliographActivityAttributes.Approval) -> [Choice] {
        if approval.isQuestion { return [.answer] }
        // Text that was cut for display can be denied from there, never allowed.
        let isWhole = approval.isWhole == true && approval.summary.count <= wholeTextMax
        return isWhole ? [.deny, .allow] : [.deny, .review]
    }

    private static func link(
        _ attributes: HeliographActivityAttributes, _ approval: HeliographActivityAttributes.Approval?
    ) -> DeepLink? {
        guard let session = approval?.session ?? attributes.session else { return nil }
        return approval.flatMap { DeepLink(session: session, approval: $0.id) } ?? DeepLink(session: session)
    }
}
