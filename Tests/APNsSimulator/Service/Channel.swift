/// A broadcast channel of one app in one environment.
package struct Channel: Sendable {
    /// How APNs stores the latest message for offline devices.
    package enum StoragePolicy: Int64, Sendable {
        /// Nothing is stored; only `apns-expiration: 0` is allowed.
        case none = 0
        /// The most recent message, for `storedMillisecondsMax` at most.
        case mostRecent = 1
    }

    static let storedMillisecondsMax: Int64 = 8 * 3600 * 1000

    package let id: String
    package let bundle: String
    package let environment: PushEnvironment
    package let storagePolicy: StoragePolicy
    var stored: Push?
}
