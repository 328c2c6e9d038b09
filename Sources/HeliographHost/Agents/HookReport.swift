internal import HostCore
internal import RelayProtocol

/// One hook call as received over the local socket.
struct HookReport {
    let event: String
    /// The payload as the agent wrote it if that is strict JSON, else as well as it can be read.
    let payload: JSONDocument
    /// True if the payload is exactly and completely what the agent wrote.
    let isWhole: Bool
    let process: AgentProcess?
    let isAttended: Bool
    /// True if the agent runs in `heliograph run`, which can answer it.
    let isRun: Bool
    /// True if the agent's own dialog opens only after the hook has ended.
    let dialogWaits: Bool
    let attempt: Int
    let run: String?
    /// The waiting caller; nil if the adapter does not answer.
    let token: HookToken?
}
