internal import RelayProtocol

/// Orders of the steering desk, to be carried out in this order.
enum SteeringOrder: Equatable {
    /// Reports a command's outcome. After a final one its note is no longer needed.
    case tell(SessionID, SteeringChange)
    /// Gives a command to the session's agent, once it is on disk that it may have been given.
    case give(SteeringRequest)
}
