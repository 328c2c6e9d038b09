package import Consent
package import Foundation
package import LiveActivityKit

/// Storage of a device's private keys and its records of hosts: the keychain and the Secure Enclave, or a folder in a test.
package protocol TrustVault: Sendable {
    /// Nil if there are no keys yet.
    func identity() throws(LiveActivityError) -> ConsentIdentity?
    func makeIdentity() throws(LiveActivityError) -> ConsentIdentity
    /// Nil if nothing was written.
    func read(_ item: TrustItem) throws(LiveActivityError) -> Data?
    func write(_ data: Data, _ item: TrustItem) throws(LiveActivityError)
    /// Removes everything, including the keys.
    func removeAll() throws(LiveActivityError)
}

package enum TrustItem: String, Sendable, CaseIterable {
    /// A `HostBook`.
    case hosts
    /// The wraps of the hosts' newest epochs, and the devices that a person has read of: `KeptWraps`, `KnownDevices`.
    case wraps, known
}
