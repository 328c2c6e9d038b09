package import Consent

/// The store of a host's pins and of its epochs' keys.
package protocol ConsentDisk: SealingDisk {
    /// Saves the pins; they are on disk when this returns. Whatever happens, the file holds either its old content or `book`.
    func save(_ book: PinBook) throws(SpoolError)

    /// Makes the host signed from its next start on; on disk when this returns.
    func keepSigned() throws(SpoolError)
}
