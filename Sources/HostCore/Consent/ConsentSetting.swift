/// The consent that lets something reach an agent: a host's own setting, which no relay and no client can change.
package enum ConsentSetting: String, Sendable, CaseIterable {
    /// Everything that the relay brings is accepted: somebody with access to the relay decided it.
    case open
    /// Only what a device trusted by this host has signed is accepted, and only for exactly what was shown.
    case signed

    /// The setting of a machine that is paired for the first time.
    package static let ofNewHosts = ConsentSetting.signed
}
