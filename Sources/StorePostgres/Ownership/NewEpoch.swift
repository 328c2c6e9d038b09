package import RelayCore

/// What the operator of a database says that the database cannot: something that clients have seen may be missing there.
package enum NewEpoch {
    /// The next relay begins another epoch, so that clients get everything again. Throws where a relay or a command uses the database;
    /// nothing is changed then.
    package static func begin(at address: String) throws(LogError) { try SoleUse(address).commit(epoch: nil) }
}
