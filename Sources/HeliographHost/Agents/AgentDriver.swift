internal import HostCore
internal import Logging
internal import RelayProtocol
internal import WebSocketEngine

/// One agent's part of the daemon: reads what only that agent has, and carries out orders of its adapter alone. Used only on the
/// loop's thread.
protocol AgentDriver: AnyObject {
    /// Carries out an order of this agent's adapter. Facts that it causes at once are reported before this returns.
    func carryOut(_ order: any Sendable)

    /// Answers a hook or a program; nil is no decision. Returns false if the token does not belong to this driver.
    func respond(_ token: HookToken, _ output: [UInt8]?) -> Bool

    /// The caller no longer waits for the answer; the adapter learns that next.
    func callerGone(_ token: HookToken)
}

/// The driver of an agent that calls hooks.
protocol HookDriver: AgentDriver {
    /// True if the adapter answers hooks of this event; other hooks are only reported.
    func answers(_ event: String) -> Bool

    func hookCalled(_ report: HookReport)

    /// Handles the last event of a session, which its hook could not deliver; nothing else is known of that call.
    func wordLeft(_ event: String, _ payload: JSONDocument)

    func statusLineShown(_ line: JSONDocument, process: AgentProcess?)
}

/// The driver of programs that make requests of their own.
protocol ProgramDriver: AgentDriver {
    /// Returns false if this driver answers no such request.
    func requested(_ what: String, _ body: [UInt8], by process: AgentProcess?, _ token: HookToken) -> Bool
}

/// The parts of the daemon that an agent's driver uses.
struct DriverSeat {
    let loop: EventLoop
    let report: (_ fact: any Sendable, _ isDurable: Bool) -> Void
    /// The call's standing with the other agents.
    let standing: (_ call: String) -> CallStanding
    let logger: Logger

    /// Gives the adapter one of its own facts, and carries out what follows. `isDurable`: see `HostFact.told`.
    func tell(_ fact: any Sendable, isDurable: Bool = false) { report(fact, isDurable) }
}

extension AgentDriver {
    /// By default false: the callers are hooks, which the local socket answers.
    func respond(_ token: HookToken, _ output: [UInt8]?) -> Bool { false }
}
