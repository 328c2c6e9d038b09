package import RelayProtocol

/// The result of one push on a device, or of something that the device did by itself.
package struct DeviceOutcome: Sendable, Equatable {
    package enum What: Sendable, Equatable {
        case started, updated, ended
        /// Shown as a notification; `replaced` if it replaced one with the same collapse id.
        case alerted, replaced
        /// Shown without sound and without waking the screen: passive, or silenced by a Focus.
        case quiet
        /// Given to the app on the screen, and not shown.
        case foreground
        /// Gave the app time in the background.
        case woken
        /// Stored by APNs for an offline device; the detail `overwrote` names the one lost by that.
        case stored
        /// Held back by the device to save power; a later entry has its outcome.
        case held
        case dropped(Drop)

        // Outcomes without a push.
        case stale, endedBySystem, dismissed
    }

    /// Why a push that was answered 200 has no effect.
    package enum Drop: String, Sendable, CaseIterable {
        case offline, expired
        case badJSON, noAPS, badEvent, badTimestamp, badField, timestampTooFarAhead
        /// Not newer than what is shown.
        case notNewer
        case noContentState, nullInContentState, undecodable, tooLarge
        case startWithoutAlert, unknownAttributesType, channelNotSupported, unknownChannel, tooManyActivities
        case eventNotForToken, noSuchActivity, alreadyEnded
        case overBudget, notAllowed, nothingToShow, appNotRunning, appNotInstalled
    }

    package var what: What
    package var activity: ActivityID?
    package var detail: String?

    package init(_ what: What, activity: ActivityID? = nil, detail: String? = nil) {
        self.what = what
        self.activity = activity
        self.detail = detail
    }

    package var word: String {
        if case .dropped = what { "dropped" } else { "\(what)" }
    }

    package func write(to line: inout JSONWriter) {
        line.field("outcome", word)
        if case .dropped(let drop) = what { line.field("why", drop.rawValue) }
        line.field("activity", activity?.name)
        line.field("detail", detail)
    }
}

/// Thrown while a device reads a push.
struct DropError: Error {
    let drop: DeviceOutcome.Drop
    var detail: String?

    init(_ drop: DeviceOutcome.Drop, _ detail: String? = nil) {
        self.drop = drop
        self.detail = detail
    }
}
