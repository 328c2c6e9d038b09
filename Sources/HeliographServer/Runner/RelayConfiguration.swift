import ChannelAPNs
import ChannelWeb
import PushPlanner
import PushWeb
import RelayCore
import RelayProtocol
import WebSocketEngine

extension Relay.Configuration {
    /// Configuration of a relay with these settings, and with the profiles and push keys in a folder. `numbers`: those for its
    /// pushes. Throws if a file there cannot be used.
    init(_ configuration: ServerConfiguration, in folder: String, numbers: PushNumbers = .ofAll) throws {
        let heartbeat = Heartbeat(
            pingSeconds: configuration.liveness.pingAfter.components.seconds,
            hangUpSeconds: configuration.liveness.hangUpAfter.components.seconds)
        let (services, servers) = (WebPushServices(added: configuration.pushHosts), configuration.ntfyServices)
        let receivers = configuration.receivers ?? Receivers(file: "", entries: [])
        let push = PushSettings(
            channels: [
                .apns: APNsChannel(
                    profiles: try ProfileSet(files: ProfileFiles.read(in: folder)),
                    broadcastBundles: try PushWay.broadcastBundles(in: folder)),
                .web: WebChannel(pageURL: configuration.pageURL) { WebPushAdmission.fault(in: $0, services) },
                .ntfy: NtfyChannel(pageURL: configuration.pageURL) { NtfyPushes.fault(in: $0, servers) },
                .receiver: ReceiverChannel(pageURL: configuration.pageURL) { receivers.fault(in: $0, of: $1) },
            ], numbers: numbers, reminders: configuration.pushReminders, localWeekMinute: TimeZones.weekMinute)
        self.init(
            software: ServerConfiguration.software, heartbeat: heartbeat, retention: configuration.retention,
            quotas: configuration.quotas, push: push)
    }
}
