/// The readers of a host's reports: its own setting, which no relay and no client can change.
package enum ContentSetting: String, Sendable, CaseIterable {
    /// Whoever has the relay's data.
    case open
    /// The devices that this host trusts; what the relay needs for lists and pushes stays in the heads of events.
    case sealed

    /// A machine that is paired for the first time, unless it takes what the relay brings.
    package static let ofNewHosts = ContentSetting.sealed
}
