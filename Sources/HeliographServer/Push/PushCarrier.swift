import PushPlanner
import RelayProtocol

/// Carries out the intents of one push service other than Apple's. Lives on the loop's thread.
protocol PushCarrier: AnyObject {
    var service: PushService { get }
    /// Nil: nothing has been sent yet.
    var sender: (any WebPushSender)? { get }
    /// Receivers that the operator has set up, in the order of their names.
    var states: [ReceiverState] { get }

    /// Tells `completion` what became of it, once, on another thread. `now` in milliseconds since 1970.
    func send(
        _ intent: PushIntent, _ codes: PushCodes, at now: Int64, then completion: @escaping @Sendable (PushOutcome) -> Void
    ) throws(PushObstacleError)
    /// The push is not to be sent any more.
    func withdraw(_ push: PushID, of epoch: Epoch)
    /// Every push that has no outcome yet gets one.
    func stop()
}

extension PushCarrier {
    var states: [ReceiverState] { [] }

    func withdraw(_ push: PushID, of epoch: Epoch) { sender?.withdraw(PushIntent.requestID(push, in: epoch)) }

    func stop() { sender?.stop() }
}
