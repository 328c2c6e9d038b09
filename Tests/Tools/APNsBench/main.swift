// apns-bench HOST:PORT AUTHORITY-FILE KEY-FILE PAYLOAD-FILE COUNT: sends so many pushes over one connection as fast as their answers come,
// and prints `{"accepted":…,"seconds":…}`. Started by Tests/Tools/bench/push_rate.py.

import ChannelAPNs
import Foundation
import PushAPNs
import RelayProtocol
import Synchronization

/// Counts outcomes and sends the next push for each.
final class Run: Sendable {
    private struct State {
        var sent = 0
        var accepted = 0
        var done = 0
    }

    /// More than the server allows at a time, so that the client never waits for us.
    private static let window = 2_000
    private let state = Mutex(State())
    private let finished = DispatchSemaphore(value: 0)
    private let count: Int
    private let client: APNsClient
    private let push: APNsRequest

    init(_ client: APNsClient, _ push: APNsRequest, count: Int) {
        (self.client, self.push, self.count) = (client, push, count)
    }

    func run() -> Int {
        for _ in 0..<min(Self.window, count) { sendNext() }
        finished.wait()
        return state.withLock { $0.accepted }
    }

    private func sendNext() {
        let isDue = state.withLock { state in
            guard state.sent < count else { return false }
            state.sent += 1
            return true
        }
        guard isDue else { return }
        client.submit(push) { [self] outcome in
            let isLast = state.withLock { state in
                if case .accepted = outcome.result { state.accepted += 1 }
                state.done += 1
                return state.done == count
            }
            if isLast { finished.signal() } else { sendNext() }
        }
    }
}

let arguments = CommandLine.arguments
let address = arguments.count == 6 ? arguments[1].split(separator: ":") : []
guard address.count == 2, let port = UInt16(address[1]), let count = Int(arguments[5]) else {
    FileHandle.standardError.write(Data("usage: apns-bench HOST:PORT AUTHORITY-FILE KEY-FILE PAYLOAD-FILE COUNT\n".utf8))
    exit(64)
}
let key = APNsKey(teamID: "TEAM567890", keyID: "KEY4567890", file: arguments[3])
var configuration = APNsConfiguration(teams: [APNsTeam(teamID: "TEAM567890", keys: [.production: key])])
configuration.authorityFile = arguments[2]
configuration.hosts[.devices] = [.production: .init(String(address[0]), port: port, address: "127.0.0.1")]
let client = try APNsClient(configuration)
var push = APNsRequest(
    teamID: "TEAM567890", environment: .production, target: .device(token: String(repeating: "ab", count: 32)),
    id: "5f1c9a52-6a6f-4f0e-9a0e-3f4f0f6a7b10")
push.topic = "dev.heliograph.app.push-type.liveactivity"
push.pushType = "liveactivity"
push.priority = 10
push.expiration = 0
push.payload = try Array(Data(contentsOf: URL(filePath: arguments[4])))
// The connection and the provider token are not what is measured.
let warm = Run(client, push, count: 1_000)
_ = warm.run()
let start = ContinuousClock.now
let accepted = Run(client, push, count: count).run()
let seconds = start.duration(to: .now) / .seconds(1)
print(#"{"accepted":\#(accepted),"seconds":\#(seconds)}"#)
