internal import HostCore
internal import Logging
internal import RelayProtocol
internal import WebSocketEngine

/// One agent's part of the daemon: reads what only that agent has, and carries out what only its adapter orders. Lives on the loop's thread.
protocol AgentDriver: AnyObject {
    /// An order of this agent's adapter. What it brings about at once is told before this returns.
    func carryOut(_ order: any Sendable)

    /// False where it was not this driver that named the caller. Nil is no decision.
    func respond(_ token: HookToken, _ output: [UInt8]?) -> Bool

    /// Nobody waits for that answer any more, which the adapter is told next.
    func callerGone(_ token: HookToken)
}

/// The driver of an agent that calls hooks.
protocol HookDriver: AgentDriver {
    /// Whether the adapter answers hooks of this event; the others are only told.
    func answers(_ event: String) -> Bool

    func hookCalled(_ report: HookReport)

    /// The last event of a session, which its hook could tell nobody: nothing else is known of that call.
    func wordLeft(_ event: String, _ payload: JSONDocument)

    func statusLineShown(_ line: JSONDocument, process: AgentProcess?)
}

/// The driver of programs that make requests of their own.
protocol ProgramDriver: AgentDriver {
    /// False where it is no request that this one answers.
    func requested(_ what: String, _ body: [UInt8], by process: AgentProcess?, _ token: HookToken) -> Bool
}

/// What an agent's driver has of its daemon.
struct DriverSeat {
    let loop: EventLoop
    /// Tells the adapter one of its own facts, and carries out what follows.
    let tell: (any Sendable) -> Void
    let logger: Logger
}

extension AgentDriver {
    /// Its callers are hooks, which the local socket answers.
    func respond(_ token: HookToken, _ output: [UInt8]?) -> Bool { false }
}
