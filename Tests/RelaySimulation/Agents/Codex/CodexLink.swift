import RelayProtocol

/// One connection between the host's reader and Codex's server: messages arrive in order, or not at all.
final class CodexLink {
    /// Threads that the host has resumed on it.
    var subscribed: Set<String> = []
    /// Arrival times of the last messages, either way.
    var lastAtServer: Int64 = 0
    var lastAtHost: Int64 = 0
    /// Threads of requests that the host has received and that have not ended.
    var asking: [Int: String] = [:]
    /// Requests whose end the host has received.
    var closed: Set<Int> = []
    /// The host's answers, by request.
    var answers: [Int: [UInt8]] = [:]
    /// Interrupts in flight, by the id of the call, because they do not name their sender.
    var interrupts: [Int64: SteeringRequest] = [:]
    /// The same for calls that end a thread.
    var stops: [Int64: SteeringRequest] = [:]
}
