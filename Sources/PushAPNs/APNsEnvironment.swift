/// Which of Apple's two worlds a device token is of: an app from the App Store or TestFlight, or one from Xcode.
package enum APNsEnvironment: String, CaseIterable, Codable, Sendable {
    case production
    case sandbox

    package var other: APNsEnvironment { self == .production ? .sandbox : .production }
}

/// What a connection is for; each has hosts of its own.
package enum APNsService: String, CaseIterable, Sendable {
    /// Pushes to devices.
    case devices
    /// Pushes to broadcast channels.
    case broadcasts
    /// Making, reading and deleting broadcast channels.
    case channels
}
