package import Consent

/// The store of a host's epoch keys.
package protocol SealingDisk: AnyObject {
    /// Saves the epochs' keys; they are on disk when this returns. Whatever happens, the file holds either its old content or
    /// `epochs`.
    func save(_ epochs: EpochBook) throws(SpoolError)
}
