public import Foundation

internal import Consent

/// A host that proved itself to this device, and trusts it.
public struct TrustedHost: Sendable, Hashable, Identifiable {
    /// The name of its key, 22 characters.
    public let id: String
    /// Its own choice. Safe to show.
    public let name: String
    public let since: Date
    /// Its content is sealed: nothing goes to it in the open.
    public let seals: Bool
}

/// A device that asks this one to bring it to its hosts.
public struct Newcomer: Sendable, Hashable {
    /// Its own choice. Safe to show.
    public let name: String
    /// As its own screen shows it: `XXXX-XXXX-XXXX-XXXX`.
    public let code: String
}

/// A device that one of the hosts trusts, as that host says.
public struct TrustedDevice: Sendable, Hashable, Identifiable {
    /// The name of its key.
    public let key: String
    public let host: TrustedHost
    /// Safe to show.
    public let name: String
    /// As its own screen shows it: `XXXX-XXXX-XXXX-XXXX`.
    public let code: String
    public let since: Date
    /// The device that brought it; nil: a person at the host's terminal.
    public let broughtBy: String?
    public let isOwn: Bool
    /// True until `RelayClient.read(_:)`.
    public let isNew: Bool

    public var id: String { host.id + "." + key }
}
