public import Foundation
public import LiveActivityKit

/// The card of one session as an app in the foreground shows it, in the words of the relay's profile `heliograph`.
public struct SessionCard: Sendable, Hashable {
    public let attributes: HeliographActivityAttributes
    public let content: HeliographActivityAttributes.ContentState

    /// `asked` is the oldest pending approval of this session. `isWhole` is never set: allowing from a card requires the code of
    /// the alert.
    public init(_ session: SessionRow, asked: PendingApproval?, for device: DeviceRegistration, at now: Date) {
        let showsText = device.text.showsText
        let words = KitLanguage.words(device.language)
        attributes = HeliographActivityAttributes(
            session: session.id, title: showsText ? session.title : words.session, project: showsText ? session.project : nil,
            agent: showsText ? session.agent : words.agent, host: showsText ? session.host : words.host)
        var progress: HeliographActivityAttributes.Progress?
        if let completed = session.todoCompleted, let total = session.todoTotal {
            progress = .init(completed: completed, total: total, current: showsText ? session.todoCurrent : nil)
        }
        content = HeliographActivityAttributes.ContentState(
            status: session.shownStatus, operation: showsText ? session.operation : nil, progress: progress,
            approvals: session.approvals, questions: session.questions,
            approval: asked.map { Self.approval($0, showsText ? nil : words) },
            costMicroUSD: device.hidesCost ? nil : session.costMicroUSD.map { Int64($0) },
            estimateMicroUSD: device.hidesCost ? nil : session.estimateMicroUSD.map { Int64($0) },
            budgetLevel: session.budgetLevel, operations: session.operations, messages: session.messages,
            error: showsText ? session.error : nil,
            startedAt: session.startedAt, updatedAt: now)
    }

    /// `words`: replace the request's text; nil shows it.
    private static func approval(
        _ asked: PendingApproval, _ words: (any KitWords)?
    ) -> HeliographActivityAttributes.Approval {
        if let words {
            let summary = asked.isQuestion ? words.hasQuestion : words.needsApproval
            return .init(id: asked.id, tool: words.aTool, summary: summary, isQuestion: asked.isQuestion)
        }
        return .init(id: asked.id, tool: asked.tool, summary: asked.title, isQuestion: asked.isQuestion)
    }
}

extension SessionRow {
    /// The status as pushes show it: `stale` if the host is away and the session had not ended.
    var shownStatus: LiveActivityKit.SessionStatus {
        !isHostConnected && (status == .starting || status == .running) ? .stale : status
    }
}

extension DeviceRegistration.Text {
    /// Otherwise a card shows counts only.
    var showsText: Bool { self == .full || self == .summary }
}
