/// `CodingBridgeActivityAttributes`: no dates, enums by their case names.
package enum CodingBridge: ActivityModel {
    package static let attributesType = "CodingBridgeActivityAttributes"

    package struct Attributes: Decodable {
        let projectName: String
        let projectPath: String
        let sessionId: String
    }

    package struct ContentState: Decodable {
        let status: Status
        let currentOperation: String?
        let elapsedSeconds: Int
        let todoProgress: TodoProgress?
        let approvalRequest: ApprovalInfo?
    }

    enum Status: String, Decodable {
        case processing, awaitingApproval, awaitingAnswer, completed, error
    }

    struct TodoProgress: Decodable {
        let completed: Int
        let total: Int
        let currentTask: String?
    }

    struct ApprovalInfo: Decodable {
        let requestId: String
        let toolName: String
        let summary: String
    }

    package static func face(_ attributes: Attributes, _ state: ContentState) -> CardFace {
        let (symbol, tint, status) = look(of: state.status)
        return CardFace(
            symbol: symbol, tint: tint, title: attributes.projectName, status: status,
            detail: state.approvalRequest?.summary ?? state.currentOperation,
            progress: state.todoProgress.map { $0.total > 0 ? Double($0.completed) / Double($0.total) : 0 },
            progressText: state.todoProgress.map { "\($0.completed) of \($0.total)" },
            clock: .text(clock(seconds: state.elapsedSeconds)),
            needsPerson: state.status == .awaitingApproval || state.status == .awaitingAnswer)
    }

    private static func look(of status: Status) -> (String, CardFace.Tint, String) {
        switch status {
        case .processing: ("gear", .blue, "Processing")
        case .awaitingApproval: ("hand.raised.fill", .orange, "Approval needed")
        case .awaitingAnswer: ("questionmark.circle.fill", .purple, "Question pending")
        case .completed: ("checkmark.circle.fill", .green, "Completed")
        case .error: ("exclamationmark.triangle.fill", .red, "Error occurred")
        }
    }

    /// Formats the seconds that were sent; the app does not count on.
    private static func clock(seconds: Int) -> String {
        let (hours, minutes, rest) = (seconds / 3600, seconds % 3600 / 60, seconds % 60)
        let padded = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return hours > 0 ? "\(hours):\(padded(minutes)):\(padded(rest))" : "\(minutes):\(padded(rest))"
    }
}
