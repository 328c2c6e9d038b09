internal import RelayProtocol

/// The purpose of a connection; each has hosts of its own.
package enum APNsService: String, CaseIterable, Sendable {
    /// Pushes to devices.
    case devices
    /// Pushes to broadcast channels.
    case broadcasts
    /// Making, reading and deleting broadcast channels.
    case channels
}

extension PushEnvironment {
    var other: PushEnvironment { self == .production ? .sandbox : .production }
}
