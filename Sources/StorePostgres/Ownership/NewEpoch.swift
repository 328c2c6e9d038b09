package import RelayCore

/// An operator's statement that the database cannot make: something that clients have seen may be missing in it.
package enum NewEpoch {
    /// The next relay begins another epoch, so that clients get everything again. Throws if a relay or a command uses the database;
    /// nothing is changed then.
    package static func begin(at address: String) throws(LogError) { try SoleUse(address).commit(epoch: nil) }
}
