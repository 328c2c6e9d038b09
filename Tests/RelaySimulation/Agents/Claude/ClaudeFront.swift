import HostCore

/// The interface between a simulated Claude Code and its person: its screen, or lines of JSON.
protocol ClaudeFront: AnyObject {
    /// The registry's word for how it was started.
    var entrypoint: String { get }
    /// Number of calls of one message that may be asked about at the same time.
    var callsAtOnceMax: Int { get }
    /// The agent is idle in this step and takes its input, if there is any.
    func idles()
    /// A step of a turn has ended. Returns true if the person stopped the turn at it.
    func interrupts(whileToolRuns: Bool) -> Bool
    func asked(_ call: ClaudeCall)
    /// The call is answered, by a client or here.
    func isSettled(_ call: ClaudeCall)
    /// No client will answer the call.
    func isLeft(_ call: ClaudeCall)
    func said(_ text: String)
    func turnEnded(isInterrupted: Bool)
}

/// One call of a tool, from its beginning to the end of its message's batch.
struct ClaudeCall {
    enum State: Equatable {
        case asked
        case running
        /// Ended, with the result that the model gets.
        case over(String)
    }

    let id: String
    let words: String
    let hook: Int
    let at: Int64
    var state = State.asked
    /// The hook that waits for a client's answer; nil if none does.
    var token: HookToken?
    var attempts = 0
    /// True if its hook has called the daemon and not lost it since.
    var isCalled = false
    /// True if its hook got the reply that no client will answer.
    var isLeft = false
}
