package import Consent

/// The store of a host's epoch keys.
package protocol SealingDisk: AnyObject {
    /// The file holds either what it held or `epochs`, whatever happens; on disk when this returns.
    func save(_ epochs: EpochBook) throws(SpoolError)
}
