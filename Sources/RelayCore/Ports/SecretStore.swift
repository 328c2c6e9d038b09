/// The port to secrets that all relays on one store have to know, so that another goes on with what one has begun.
///
/// A store in a relay's own folder has none of it: its secrets are files next to it.
/// From any thread; a write takes as long as the disk.
package protocol SecretStore: Sendable {
    func secret(_ name: String) throws(LogError) -> [UInt8]?
    /// Keeps `secret` if there is none of that name; returns the one that is kept, which another relay may have created first.
    func keep(_ secret: [UInt8], as name: String) throws(LogError) -> [UInt8]
}
