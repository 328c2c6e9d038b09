import PushPlanner
import RelayProtocol

/// Sends the pushes of one push service other than Apple's. Confined to the loop's thread.
protocol PushCarrier: AnyObject {
    var service: PushService { get }
    /// Nil: nothing has been sent yet.
    var sender: (any WebPushSender)? { get }
    /// Receivers that the operator has set up, in the order of their names.
    var states: [ReceiverState] { get }

    /// Sends a push. `completion` is called once with its outcome, on another thread. `now`: milliseconds since 1970.
    func send(
        _ intent: PushIntent, _ codes: PushCodes, at now: Int64, then completion: @escaping @Sendable (PushOutcome) -> Void
    ) throws(PushObstacleError)
    /// Withdraws a push that should no longer be sent.
    func withdraw(_ push: PushID, of epoch: Epoch)
    /// Ends every push without an outcome with one.
    func stop()
}

extension PushCarrier {
    var states: [ReceiverState] { [] }

    func withdraw(_ push: PushID, of epoch: Epoch) { sender?.withdraw(PushIntent.requestID(push, in: epoch)) }

    func stop() { sender?.stop() }
}
