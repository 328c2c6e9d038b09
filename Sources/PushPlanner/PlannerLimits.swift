/// Limits of the planner's memory and of its pushes in flight, each with its reason.
enum PlannerLimits {
    /// Devices of one workspace.
    static let devicesMax = 64
    /// Devices of one client. An app or a browser is one device, and takes a new name if it loses its own.
    static let devicesOfClientMax = 10
    /// Pushes of one device that wait for an outcome.
    static let unansweredPushesMax = 64
    /// Approvals and questions that a device shows one by one: what a Lock Screen shows without scrolling, and each can be decided
    /// there. The others are counted in one notification, and the oldest of them is shown when one of these is settled.
    static let shownOneByOneMax = 5
    /// Alerts of one device that wait for their next attempt; more are counted in one digest.
    static let owedAlertsMax = 16
    /// Broadcast channels that exist at once: half of the 10,000 that Apple keeps for one app. Beyond it cards start without one.
    static let channelsMax = 5_000
    /// Pushes of one device that are kept with their outcome. `pushesShown` of them are shown to clients.
    static let pushesKept = 50
    /// Older pushes that are kept for their codes alone, without their content: one for each approval that may be open in a
    /// workspace (1,024 by default), and for those that rang again. Of one approval the last few: a phone shows one of them, though
    /// perhaps not the last.
    static let codesKept = 2_048
    static let codesOfApprovalKept = 4
    static let pushesShown = 20
}
