/// The readers of a host's reports: its own setting, which no relay and no client can change.
package enum ContentSetting: String, Sendable, CaseIterable {
    /// Everybody who has the relay's data.
    case open
    /// Only the devices that this host trusts. What the relay needs for lists and pushes stays open in the heads of events.
    case sealed

    /// Setting of a machine that is paired for the first time, unless it is paired with open consent.
    package static let ofNewHosts = ContentSetting.sealed
}
