import PushPlanner

/// The way to one receiver. Used from any thread.
protocol ReceiverLane: Sendable {
    var shown: ReceiverState { get }

    /// Tells the job's `completion` what became of it, once.
    func submit(_ job: ReceiverJob)
    /// The job of this id is not to be sent any more.
    func withdraw(_ id: String)
    /// Every job that has no outcome yet gets one.
    func stop()
}

/// A push to a receiver.
struct ReceiverJob: Sendable {
    /// Names the push in all attempts.
    let id: String
    let replaces: String?
    let document: [UInt8]
    /// Milliseconds since 1970; after that it is not worth sending.
    let worthUntil: Int64
    let completion: @Sendable (PushOutcome) -> Void
}
