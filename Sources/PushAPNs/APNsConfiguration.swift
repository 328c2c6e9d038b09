package import RelayProtocol

/// Names a provider key.
package struct APNsKeyID: Hashable, Sendable {
    package var teamID: String
    package var keyID: String
}

/// A provider key: what Apple hands out as `AuthKey_<keyID>.p8`.
package struct APNsKey: Equatable, Sendable {
    package var id: APNsKeyID
    /// Read again whenever it changes.
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

/// Address of APNs, and the key for it.
package struct APNsConfiguration: Sendable {
    package struct Host: Equatable, Sendable {
        /// Name that its certificate must have.
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
    /// Folder for provider tokens, readable by us alone, so that a restart does not sign new ones: Apple counts.
    package var tokenFolder: String?
    /// Certificates to trust besides the system's; PEM.
    package var authorityFile: String?
    package var limits = APNsLimits()

    package init(teams: [APNsTeam]) { self.teams = teams }

    /// Apple's own pages disagree on the host of broadcasts: prose says the one of devices, the samples say this.
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
