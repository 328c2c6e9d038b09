package import Consent

/// The store of a host's pins and of its epochs' keys.
package protocol ConsentDisk: SealingDisk {
    /// The file holds either what it held or `book`, whatever happens; on disk when this returns.
    func save(_ book: PinBook) throws(SpoolError)

    /// From its next start on the host is signed, whatever happens; on disk when this returns.
    func keepSigned() throws(SpoolError)
}
