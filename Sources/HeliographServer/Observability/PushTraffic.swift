import PushAPNs
import PushWeb
import RelayProtocol

/// State of the requests to the push services at one time.
struct PushTraffic: Sendable {
    var lanes: [APNsLaneState] = []
    /// Push services of browsers.
    var origins: [WebPushOriginState] = []
    /// ntfy servers, which people have named.
    var servers: [WebPushOriginState] = []
    var receivers: [ReceiverState] = []

    var waiting: Int {
        lanes.reduce(0) { $0 + $1.waiting } + (origins + servers).reduce(0) { $0 + $1.waiting }
            + receivers.reduce(0) { $0 + $1.waiting }
    }
    var flying: Int {
        lanes.reduce(0) { $0 + $1.flying } + (origins + servers).reduce(0) { $0 + $1.flying }
            + receivers.reduce(0) { $0 + $1.running }
    }
    /// Number of services to which nothing is sent for a while, because they refuse requests.
    var breakersOpen: Int { lanes.count(where: \.isBreakerOpen) + origins.count { $0.barredReason != nil } }
}

extension APNsLaneState {
    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("service", service.rawValue)
            writer.field("environment", environment.rawValue)
            writer.field("team", teamID)
            writer.field("waiting", Int64(waiting))
            writer.field("flying", Int64(flying))
            writer.flag("breakerOpen", isBreakerOpen)
            writer.field("connected", connection != nil)
            writer.field("trouble", trouble)
            guard let verdict else { return }
            writer.object("apple") {
                $0.field("refusal", verdict.refusal)
                $0.field("at", verdict.unixSeconds * 1000)
            }
        }
    }
}

extension WebPushOriginState {
    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("service", origin.authority)
            writer.field("waiting", Int64(waiting))
            writer.field("flying", Int64(flying))
            writer.field("connected", connection != nil)
            writer.field("refusal", barredReason)
            writer.field("trouble", trouble)
        }
    }
}
