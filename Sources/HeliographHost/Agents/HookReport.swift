internal import HostCore
internal import RelayProtocol

/// One hook call as it came over the local socket.
struct HookReport {
    let event: String
    /// As the agent wrote it if that is strict JSON, else as well as it can be read.
    let payload: JSONDocument
    /// The payload is all of what the agent wrote, exactly.
    let isWhole: Bool
    let process: AgentProcess?
    let isAttended: Bool
    /// True if the agent runs in `heliograph run`, which can answer it.
    let isRun: Bool
    /// The agent's own dialog opens only when the hook is over.
    let dialogWaits: Bool
    let attempt: Int
    let run: String?
    /// Nil if the adapter does not answer.
    let token: HookToken?
}
