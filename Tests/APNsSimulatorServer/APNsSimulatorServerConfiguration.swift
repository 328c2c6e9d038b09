package import APNsSimulator

/// Settings of the server. Port 0 takes any free port.
package struct APNsSimulatorServerConfiguration: Sendable {
    /// A literal address. The simulator is not meant for other machines.
    package var address = "127.0.0.1"
    package var sandboxPort: UInt16 = 0
    package var productionPort: UInt16 = 0
    /// The ports of channel management; Apple's are 2195 and 2196.
    package var sandboxManagementPort: UInt16 = 0
    package var productionManagementPort: UInt16 = 0
    /// Plain HTTP/1.1 for tests, at a path if one is given, else at a port of `address`.
    package var adminPath: String?
    package var adminPort: UInt16 = 0
    /// File for the certificate that clients have to trust.
    package var certificateFile: String
    /// PEM files of another identity; without them one is made for the life of the process.
    package var identity: (certificateFile: String, privateKeyFile: String)?
    /// Names in the certificate that is made.
    package var certificateNames = [
        "DNS:localhost", "IP:127.0.0.1", "DNS:api.push.apple.com", "DNS:api.sandbox.push.apple.com",
        "DNS:api-broadcast.push.apple.com", "DNS:api-broadcast.sandbox.push.apple.com",
        "DNS:api-manage-broadcast.push.apple.com", "DNS:api-manage-broadcast.sandbox.push.apple.com",
    ]
    package var journalFile: String?
    /// Commands to begin with, see `APNsSimulator.perform`: `{"commands": […]}`.
    package var setup: [UInt8]?
    package var script = FaultScript()
    package var simulator = APNsSimulator.Configuration()

    package init(certificateFile: String) { self.certificateFile = certificateFile }
}
