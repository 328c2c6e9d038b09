internal import FoundationEssentials

/// Epic Q2-006: another `SessionActivityAttributes`, which only its bundle tells from opencode's. The status values come from its
/// server's TypeScript; its Swift does not declare them.
package enum AgentsEpic: ActivityModel {
    package static let attributesType = "SessionActivityAttributes"

    package struct Attributes: Decodable {
        let sessionId: String
        let sessionTitle: String
        let projectName: String
    }

    package struct ContentState: Decodable {
        let status: Status
        let messageCount: Int
        let pendingApprovals: Int
        let currentCost: Double
        let lastUpdate: Date
    }

    enum Status: String, Decodable {
        case running, waiting, idle, error
    }

    package static func face(_ attributes: Attributes, _ state: ContentState) -> CardFace {
        let (symbol, tint) = look(of: state.status)
        return CardFace(
            symbol: symbol, tint: tint, title: attributes.sessionTitle, status: state.status.rawValue,
            detail: "\(state.messageCount) messages in \(attributes.projectName)", clock: .text(dollars(state.currentCost)),
            badge: state.pendingApprovals > 0 ? state.pendingApprovals : nil, needsPerson: state.pendingApprovals > 0)
    }

    private static func look(of status: Status) -> (String, CardFace.Tint) {
        switch status {
        case .running: ("gear", .blue)
        case .waiting: ("hand.raised.fill", .orange)
        case .idle: ("checkmark.circle.fill", .gray)
        case .error: ("exclamationmark.triangle.fill", .red)
        }
    }

    /// Two decimal places, without a formatter.
    private static func dollars(_ cost: Double) -> String {
        let cents = Int64(exactly: (cost * 100).rounded()) ?? 0
        return "$\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    }
}
