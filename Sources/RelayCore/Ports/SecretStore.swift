/// The port to secrets that all relays on one store share, so that one can continue what another has begun.
///
/// A store in a relay's own folder does not need it: its secrets are files next to it.
/// Called on any thread; a write takes as long as the disk.
package protocol SecretStore: Sendable {
    func secret(_ name: String) throws(LogError) -> [UInt8]?
    /// Stores `secret` if there is none with that name; returns the stored one, which another relay may have created first.
    func keep(_ secret: [UInt8], as name: String) throws(LogError) -> [UInt8]
}
