internal import FoundationEssentials

/// `HeliographActivityAttributes`, as in an app with `LiveActivityKit`. Written separately, not shared, so that an error common to
/// the kit and the relay shows here.
package enum Heliograph: ActivityModel {
    package static let attributesType = "HeliographActivityAttributes"

    package struct Attributes: Decodable {
        let session: String?
        let title: String
        let project: String?
        let agent: String
        let host: String
    }

    package struct ContentState: Decodable {
        /// A string, not an enum: an unknown status must not make the whole content undecodable.
        let status: String
        let operation: String?
        let progress: Progress?
        let approvals: Int
        let questions: Int
        let approval: Approval?
        let costMicroUSD: Int64?
        let budgetLevel: Int?
        let operations: Int
        let messages: Int
        let sessions: Int?
        let error: String?
        let startedAt: Date
        let updatedAt: Date
    }

    struct Progress: Decodable {
        let completed: Int
        let total: Int
        let current: String?
    }

    struct Approval: Decodable {
        let id: String
        let tool: String
        let summary: String
        let isQuestion: Bool
    }

    package static func face(_ attributes: Attributes, _ state: ContentState) -> CardFace {
        // An app must not crash on any number from a relay, however large.
        let (sum, isTooLarge) = state.approvals.addingReportingOverflow(state.questions)
        let waiting = isTooLarge ? Int.max : sum
        let (symbol, tint, status) = look(of: state)
        let link = attributes.session.map { session in
            state.approval.map { "heliograph://approval/\(session)/\($0.id)" } ?? "heliograph://session/\(session)"
        }
        return CardFace(
            symbol: symbol, tint: tint, title: attributes.title, status: status,
            detail: state.approval?.summary ?? state.error ?? state.operation ?? state.progress?.current,
            progress: state.progress.map { $0.total > 0 ? Double($0.completed) / Double($0.total) : 0 },
            progressText: state.progress.map { "\($0.completed)/\($0.total)" },
            clock: .since(state.startedAt.milliseconds), badge: waiting > 0 ? waiting : nil, needsPerson: waiting > 0,
            deepLink: link)
    }

    private static func look(of state: ContentState) -> (String, CardFace.Tint, String) {
        switch state.status {
        case "completed": return ("checkmark.circle.fill", .green, "Done")
        case "failed": return ("exclamationmark.triangle.fill", .red, "Failed")
        default: break
        }
        if state.approvals > 0 { return ("hand.raised.fill", .orange, "Approval needed") }
        if state.questions > 0 { return ("questionmark.bubble.fill", .purple, "Question") }
        switch state.status {
        case "starting": return ("hourglass", .gray, "Starting")
        case "idle": return ("pause.circle.fill", .gray, "Idle")
        case "stale": return ("wifi.slash", .gray, "Out of touch")
        default: return ("gearshape.2.fill", .blue, "Working")
        }
    }
}
