import HostCore
import RelayProtocol

/// The simulated counterpart of a real adapter: a server with its terminals, or a program, and the person at it. A separate process
/// that outlives the daemon.
protocol AgentBody: AnyObject {
    /// The name of its adapter.
    var adapter: String { get }
    /// Open questions that clients have to see.
    var asks: [AgentAsk] { get }
    /// Closed questions whose end it could not report yet.
    var untold: [AgentAsk] { get }
    /// Status that clients must see for each session when all is quiet; nil if the session has ended.
    var sessions: [(id: SessionID, status: SessionStatus?)] { get }

    func start()
    /// A part of it fails and is restarted.
    func restart()
    /// Its machine lost power.
    func losePower()
    func daemonGone()
    /// Drops its pending work and stops.
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
    /// The text that people must be shown and that is then run: the command, or the file that changes.
    let words: String
}
