/// The apps of the shipped profiles, by the name used in scripts and on the command line.
package enum KnownApp: String, Sendable, CaseIterable {
    case heliograph, codingbridge, opencode, swiftclimb, delivery, epic

    package var activityTypes: ActivityTypes {
        switch self {
        case .heliograph: ActivityTypes(Heliograph.self)
        case .codingbridge: ActivityTypes(CodingBridge.self)
        case .opencode: ActivityTypes(OpenCode.self)
        case .swiftclimb: ActivityTypes(SwiftClimb.self)
        case .delivery: ActivityTypes(Delivery.self)
        case .epic: ActivityTypes(AgentsEpic.self)
        }
    }
}
