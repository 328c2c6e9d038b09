import HostCore
import RelayProtocol

/// The played counterpart of a real adapter: a server with its terminals, or a program, and the person next to it. A process of its own
/// that outlives the daemon.
protocol AgentBody: AnyObject {
    /// The name of its adapter.
    var adapter: String { get }
    /// Open questions that clients have to see.
    var asks: [AgentAsk] { get }
    /// Closed questions whose end it had no way to report yet.
    var untold: [AgentAsk] { get }
    /// Status that clients have to see for each session when all is quiet; nil: the session has ended.
    var sessions: [(id: SessionID, status: SessionStatus?)] { get }

    func start()
    /// Something of it breaks, and comes back.
    func restart()
    /// The machine that it ran on lost power.
    func losePower()
    func daemonGone()
    /// Gives up its pending work, and does no more.
    func finish()
    func isAlive(_ process: AgentProcess) -> Bool
    /// Carries out an order that only the adapter's own reader can.
    func carryOut(_ order: any Sendable)
}

extension AgentBody {
    var untold: [AgentAsk] { [] }
}

/// A question of an agent that is still open.
struct AgentAsk {
    let session: SessionID
    /// Text that people have to be shown, and that is then run: the command, or the file that changes.
    let words: String
}
