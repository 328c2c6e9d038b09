import HostCore
import RelayProtocol

/// What a real adapter serves, played: a server with its terminals, or a program, and the person next to it. Its own process: it outlives
/// the daemon.
protocol AgentBody: AnyObject {
    /// The name of its adapter.
    var adapter: String { get }
    /// What it asks now and clients have to see.
    var asks: [AgentAsk] { get }
    /// What it asks no longer, and had no way to tell yet.
    var untold: [AgentAsk] { get }
    /// As clients have to see its sessions when all is quiet; nil: it is over.
    var sessions: [(id: SessionID, status: SessionStatus?)] { get }

    func start()
    /// Something of it breaks, and comes back.
    func restart()
    /// It was on a machine that lost power.
    func losePower()
    func daemonGone()
    /// Gives up what it waits on, and does no more.
    func finish()
    func isAlive(_ process: AgentProcess) -> Bool
    /// What only the adapter's own reader can carry out.
    func carryOut(_ order: any Sendable)
}

extension AgentBody {
    var untold: [AgentAsk] { [] }
}

/// A question of an agent that is still open.
struct AgentAsk {
    let session: SessionID
    /// What people have to be shown, and what runs then: the command, or the file that changes.
    let words: String
}
