package import RelayProtocol

/// Name of a provider key.
package struct APNsKeyID: Hashable, Sendable {
    package var teamID: String
    package var keyID: String
}

/// A provider key, which Apple issues as `AuthKey_<keyID>.p8`.
package struct APNsKey: Equatable, Sendable {
    package var id: APNsKeyID
    /// Path of the key; read again whenever the file changes.
    package var file: String

    package init(teamID: String, keyID: String, file: String) {
        id = APNsKeyID(teamID: teamID, keyID: keyID)
        self.file = file
    }
}

/// A team of Apple's developer programme and its keys. Most keys are for both environments.
package struct APNsTeam: Equatable, Sendable {
    package var teamID: String
    package var keys: [PushEnvironment: APNsKey]

    package init(teamID: String, keys: [PushEnvironment: APNsKey]) {
        self.teamID = teamID
        self.keys = keys
    }
}

/// Addresses of APNs, and the keys for it.
package struct APNsConfiguration: Sendable {
    package struct Host: Equatable, Sendable {
        /// Name that the server's certificate must have.
        package var name: String
        package var port: UInt16
        /// Address to connect to instead of the one from DNS.
        package var address: String?

        package init(_ name: String, port: UInt16 = 443, address: String? = nil) {
            self.name = name
            self.port = port
            self.address = address
        }
    }

    package var teams: [APNsTeam]
    package var hosts: [APNsService: [PushEnvironment: Host]] = Self.appleHosts
    /// Folder for provider tokens, readable by our user only. It keeps a restart from signing new ones, which Apple limits.
    package var tokenFolder: String?
    /// Certificates to trust besides the system's; PEM.
    package var authorityFile: String?
    package var limits = APNsLimits()

    package init(teams: [APNsTeam]) { self.teams = teams }

    /// Apple's pages disagree on the host of broadcasts: the prose names that of devices, the samples this one.
    package static let appleHosts: [APNsService: [PushEnvironment: Host]] = [
        .devices: [.production: Host("api.push.apple.com"), .sandbox: Host("api.sandbox.push.apple.com")],
        .broadcasts: [
            .production: Host("api-broadcast.push.apple.com"), .sandbox: Host("api-broadcast.sandbox.push.apple.com"),
        ],
        .channels: [
            .production: Host("api-manage-broadcast.push.apple.com", port: 2196),
            .sandbox: Host("api-manage-broadcast.sandbox.push.apple.com", port: 2195),
        ],
    ]
}
