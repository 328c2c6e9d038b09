public import Foundation

internal import Consent

/// A host that proved itself to this device, and trusts it.
public struct TrustedHost: Sendable, Hashable, Identifiable {
    /// Id of its key, 22 characters.
    public let id: String
    /// The name that the host chose, safe to show.
    public let name: String
    public let since: Date
    /// True if its content is sealed: nothing is sent to it unsealed.
    public let seals: Bool
}

/// A device that asks this one to vouch for it.
public struct Newcomer: Sendable, Hashable {
    /// The name that the device chose, safe to show.
    public let name: String
    /// As its own screen shows it: `XXXX-XXXX-XXXX-XXXX`.
    public let code: String
}

/// A device that one of the hosts trusts, as that host says.
public struct TrustedDevice: Sendable, Hashable, Identifiable {
    /// Id of its key.
    public let key: String
    public let host: TrustedHost
    /// Safe to show.
    public let name: String
    /// As its own screen shows it: `XXXX-XXXX-XXXX-XXXX`.
    public let code: String
    public let since: Date
    /// The device that vouched for it; nil if a person admitted it at the host's terminal.
    public let broughtBy: String?
    public let isOwn: Bool
    /// True until `RelayClient.read(_:)`.
    public let isNew: Bool

    public var id: String { host.id + "." + key }
}
