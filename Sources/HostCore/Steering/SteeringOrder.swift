internal import RelayProtocol

/// Orders of the steering desk, to be carried out in this order.
enum SteeringOrder: Equatable {
    /// Tell what has become of it. What is final needs no note any more.
    case tell(SessionID, SteeringChange)
    /// Give it to the session's agent, when it is on disk that it may have been given.
    case give(SteeringRequest)
}
