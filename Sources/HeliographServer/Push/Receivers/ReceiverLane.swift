import PushPlanner

/// Sends the pushes of one receiver. Used on any thread.
protocol ReceiverLane: Sendable {
    var shown: ReceiverState { get }

    /// Accepts a job, whose `completion` is called once with the outcome.
    func submit(_ job: ReceiverJob)
    /// Withdraws the job with this id, which should no longer be sent.
    func withdraw(_ id: String)
    /// Ends every job without an outcome with one.
    func stop()
}

/// A push to a receiver.
struct ReceiverJob: Sendable {
    /// Identifies the push in all attempts.
    let id: String
    let replaces: String?
    let document: [UInt8]
    /// Time after which the push is not worth sending, in milliseconds since 1970.
    let worthUntil: Int64
    let completion: @Sendable (PushOutcome) -> Void
}
