package import Consent

/// Where a host keeps whom it trusts, and its epochs' keys.
package protocol ConsentDisk: SealingDisk {
    /// The file holds either what it held or `book`, whatever happens; on disk when this returns.
    func save(_ book: PinBook) throws(SpoolError)

    /// From its next start on the host is signed, whatever happens; on disk when this returns.
    func keepSigned() throws(SpoolError)
}
