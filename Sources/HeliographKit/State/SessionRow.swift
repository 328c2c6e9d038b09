public import Foundation
public import LiveActivityKit
internal import RelayProtocol

/// One session in a list. Texts are safe to show: what would be invisible is spelled out.
public struct SessionRow: Sendable, Hashable, Identifiable {
    public let id: String
    public let title: String
    public let project: String?
    public let agent: String
    public let host: String
    public let isHostConnected: Bool
    public let status: LiveActivityKit.SessionStatus
    public let operation: String?
    public let todoCompleted: Int?
    public let todoTotal: Int?
    /// That wait for a person.
    public let approvals: Int
    public let questions: Int
    public let costMicroUSD: Int?
    public let lastActivityAt: Date

    init(_ summary: Summary) {
        id = summary.session.rawValue
        title = VisibleText.line(summary.title ?? summary.session.rawValue)
        project = summary.project.map(VisibleText.line)
        agent = VisibleText.line(summary.agentName)
        host = VisibleText.line(summary.host.name)
        isHostConnected = summary.hostIsConnected
        status = LiveActivityKit.SessionStatus(rawValue: summary.status.rawValue) ?? .unknown
        operation = summary.operation.map(VisibleText.line)
        todoCompleted = summary.todo.map { Int($0.completed) }
        todoTotal = summary.todo.map { Int($0.total) }
        approvals = Int(summary.approvals)
        questions = Int(summary.questions)
        costMicroUSD = summary.costMicroUSD.map { Int($0) }
        lastActivityAt = Date(milliseconds: summary.lastActivityAt)
    }
}

extension Date {
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
