/// Whose word lets something reach an agent: a host's own setting, which no relay and no client can change.
package enum ConsentSetting: String, Sendable, CaseIterable {
    /// The relay's: what it brings was decided by somebody whom it lets in.
    case open
    /// Only what a device that this host trusts has signed, for exactly what was shown.
    case signed

    /// A machine that is paired for the first time.
    package static let ofNewHosts = ConsentSetting.signed
}
