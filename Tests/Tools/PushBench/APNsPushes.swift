import ChannelAPNs
import PushAPNs
import RelayProtocol

/// Sends the same update of a card repeatedly.
struct APNsPushes: Pushes {
    private let client: APNsClient
    private let push: APNsRequest

    init(to place: Place, _ payload: [UInt8]) throws {
        let key = APNsKey(teamID: "TEAM567890", keyID: "KEY4567890", file: place.keyFile)
        var configuration = APNsConfiguration(teams: [APNsTeam(teamID: "TEAM567890", keys: [.production: key])])
        configuration.authorityFile = place.authorityFile
        configuration.hosts[.devices] = [.production: .init(place.host, port: place.port, address: "127.0.0.1")]
        client = try APNsClient(configuration)
        var push = APNsRequest(
            teamID: "TEAM567890", environment: .production, target: .device(token: String(repeating: "ab", count: 32)),
            id: "5f1c9a52-6a6f-4f0e-9a0e-3f4f0f6a7b10")
        push.topic = "dev.heliograph.app.push-type.liveactivity"
        push.pushType = "liveactivity"
        push.priority = 10
        push.expiration = 0
        push.payload = payload
        self.push = push
    }

    func send(then completion: @escaping @Sendable (String?) -> Void) {
        client.submit(push) { outcome in
            if case .accepted = outcome.result { completion(nil) } else { completion("\(outcome.result)") }
        }
    }
}
