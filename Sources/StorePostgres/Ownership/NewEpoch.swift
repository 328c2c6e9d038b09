package import RelayCore

/// An operator's statement that the database may lack data that clients have seen, which the database cannot detect itself.
package enum NewEpoch {
    /// Makes the next relay begin another epoch, so that clients load everything again. Throws if a relay or a command uses the
    /// database; nothing is changed then.
    package static func begin(at address: String) throws(LogError) { try SoleUse(address).commit(epoch: nil) }
}
