/// Limits of the planner's memory and of its pushes in flight, each with its reason.
enum PlannerLimits {
    /// Devices of one workspace.
    static let devicesMax = 64
    /// Devices of one client: an app or a browser is one, and makes itself another name when it loses its own.
    static let devicesOfClientMax = 10
    /// Pushes of one device that wait for an answer.
    static let unansweredPushesMax = 64
    /// Approvals and questions that a device shows one by one: what a Lock Screen shows without scrolling, and each can be decided there. The
    /// others that wait are counted in one notification, and the oldest of them follows when one of these is settled.
    static let shownOneByOneMax = 5
    /// Alerts of one device that the service has not taken and that wait for their next try; beyond it they are counted in one digest.
    static let owedAlertsMax = 16
    /// Broadcast channels that a service is asked to keep for us: half of the 10,000 that Apple keeps for one app. Beyond it cards start without.
    static let channelsMax = 5_000
    /// Pushes of one device that are kept with what became of them, and those that clients are shown.
    static let pushesKept = 50
    /// Older ones that are kept for their codes alone, without what they said: for each approval that is open in a workspace, of which the
    /// default is 1,024, one that rang again, too. And of one approval: a phone shows one of them, though perhaps not the last.
    static let codesKept = 2_048
    static let codesOfApprovalKept = 4
    static let pushesShown = 20
}
