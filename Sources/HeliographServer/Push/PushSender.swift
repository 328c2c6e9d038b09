import ChannelAPNs
import PushAPNs

/// Carries requests to APNs. A port, so that tests can stand in for Apple.
protocol PushSender: AnyObject, Sendable {
    /// Tells `completion` what became of the request, once, on a thread that it must not block.
    func submit(_ request: APNsRequest, then completion: @escaping @Sendable (APNsOutcome) -> Void)
    /// The request of this id is not to be sent any more.
    func withdraw(_ id: String)
    func lanes() async -> [APNsLaneState]
    /// Another takes its place: what is not on its way is `notSent` as `replaced`.
    func giveBack()
    /// Every request that has no outcome yet gets one.
    func stop()
}

extension APNsClient: PushSender {}
