import ChannelAPNs
import PushAPNs

/// Sends requests to APNs. A port, so that tests can replace Apple.
protocol PushSender: AnyObject, Sendable {
    /// Sends a request. `completion` is called once with the outcome, on a thread that it must not block.
    func submit(_ request: APNsRequest, then completion: @escaping @Sendable (APNsOutcome) -> Void)
    /// Withdraws the request with this id, which should no longer be sent.
    func withdraw(_ id: String)
    func lanes() async -> [APNsLaneState]
    /// Another sender replaces this one: requests that are not under way end as `notSent` with `replaced`.
    func giveBack()
    /// Ends every request without an outcome with one.
    func stop()
}

extension APNsClient: PushSender {}
