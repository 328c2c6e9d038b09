public import Foundation
public import LiveActivityKit
internal import RelayProtocol

/// One session in a list. Texts are safe to show: invisible characters are spelled out.
public struct SessionRow: Sendable, Hashable, Identifiable {
    public let id: String
    public let title: String
    public let project: String?
    public let agent: String
    public let host: String
    public let isHostConnected: Bool
    /// True if its host has sealed the texts and this device has no key: the title is a placeholder.
    public let isSealed: Bool
    public let status: LiveActivityKit.SessionStatus
    /// Reason for the status, such as work in the background of an idle session.
    public let statusReason: String?
    public let operation: String?
    public let error: String?
    public let todoCompleted: Int?
    public let todoTotal: Int?
    public let todoCurrent: String?
    /// Number of tools started.
    public let operations: Int
    public let messages: Int
    /// Number of approvals that wait for a person.
    public let approvals: Int
    public let questions: Int
    /// Cost in millionths of a dollar; nil if it is unknown, or all of it is guessed.
    public let costMicroUSD: Int?
    /// In addition to the cost: a guess of the agent, for a model whose price it does not know.
    public let estimateMicroUSD: Int?
    /// The highest level of a budget that was crossed, in percent.
    public let budgetLevel: Int?
    public let startedAt: Date
    public let lastActivityAt: Date

    init(_ summary: Summary) {
        id = summary.session.rawValue
        title = VisibleText.line(summary.title ?? summary.session.rawValue)
        project = summary.project.map(VisibleText.line)
        agent = VisibleText.line(summary.agentName)
        host = VisibleText.line(summary.host.name)
        isSealed = summary.line != nil
        isHostConnected = summary.hostIsConnected
        status = LiveActivityKit.SessionStatus(rawValue: summary.status.rawValue) ?? .unknown
        statusReason = summary.statusReason.map(VisibleText.line)
        operation = summary.operation.map(VisibleText.line)
        error = summary.error.map(VisibleText.line)
        todoCompleted = summary.todo.map { Int($0.completed) }
        todoTotal = summary.todo.map { Int($0.total) }
        todoCurrent = summary.todo?.current.map(VisibleText.line)
        operations = Int(summary.operations)
        messages = Int(summary.messages)
        approvals = Int(summary.approvals)
        questions = Int(summary.questions)
        costMicroUSD = summary.knownCostMicroUSD.map { Int($0) }
        estimateMicroUSD = summary.estimateMicroUSD.map { Int($0) }
        budgetLevel = summary.budget.map { Int($0.level) }
        startedAt = Date(milliseconds: summary.startedAt)
        lastActivityAt = Date(milliseconds: summary.lastActivityAt)
    }
}

extension Date {
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
