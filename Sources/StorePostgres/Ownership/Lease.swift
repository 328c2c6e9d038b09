internal import Dispatch
internal import HeliographPlatform
internal import HeliographPostgreSQL
internal import RelayCore
internal import Synchronization

/// Renews this process's lease, and checks whether tokens or workspaces have changed: on its own thread and connection, as long as
/// the log is owned.
final class Lease: Sendable {
    /// Time between two checks. A change made on another machine takes effect within two seconds.
    private static let interval = DispatchTimeInterval.seconds(1)
    /// Time between two renewals, each of which is a write.
    private static let renewalInterval = Duration.seconds(2)
    /// Time between two checks of the database's durability.
    private static let durabilityInterval = Duration.seconds(30)

    private let database: PostgresDatabase
    private let ownership: Ownership
    /// The database's identity and timeline at the claim; see `Ownership.Claim`.
    private let bornOn: String
    private let end = Mutex(End())
    private let whenEntrantsChanged = Mutex<(@Sendable () -> Void)?>(nil)
    private let whenDurabilityChanged = Mutex<(@Sendable (Durability) -> Void)?>(nil)
    private let stop = DispatchSemaphore(value: 0)
    private let isStopped = DispatchSemaphore(value: 0)

    /// Time of the last renewal that the claim has made.
    private let claimed: ContinuousClock.Instant

    private struct End {
        /// The error of a refused commit, if another process has taken over.
        var fencing: LogError?
        var loss: LogError?
        /// The listener, which is called once.
        var body: (@Sendable (LogError) -> Void)?
    }

    /// Takes over the connection that claimed the log. An owner without a connection is taken for dead, and until the first commit
    /// or read it may have no other.
    init(
        _ database: PostgresDatabase, _ ownership: Ownership, _ claim: Ownership.Claim, _ claiming: PostgresConnection
    ) throws(LogError) {
        self.database = database
        bornOn = claim.bornOn
        claimed = claim.renewed
        self.ownership = ownership
        guard BackgroundThread.start({ [self] in run(claiming) }) else {
            throw LogError(.unreachable(isPassing: true), "The system starts no thread.")
        }
    }

    /// `body` is called once, on a separate thread, when this process can no longer be sure that it owns the log; at once if
    /// ownership is lost already.
    func whenLost(_ body: @escaping @Sendable (LogError) -> Void) {
        let loss = end.withLock { end in
            if end.loss == nil { end.body = body }
            return end.loss
        }
        if let loss { body(loss) }
    }

    /// Notes that the database has refused a commit because another process owns the log: ownership is lost, even if the lease is
    /// valid. Reported within `interval`, on this object's thread.
    func fenced(_ error: LogError) { end.withLock { $0.fencing = $0.fencing ?? error } }

    /// `body` is called soon, and whenever the count of changes differs from the last one.
    func whenEntrantsChanged(_ body: @escaping @Sendable () -> Void) { whenEntrantsChanged.withLock { $0 = body } }

    /// `body` is called soon, and within half a minute after each change.
    func whenDurabilityChanged(_ body: @escaping @Sendable (Durability) -> Void) {
        whenDurabilityChanged.withLock { $0 = body }
    }

    /// Stops the thread; returns when nothing is sent any more.
    func finish() {
        stop.signal()
        isStopped.wait()
    }

    private func run(_ claiming: PostgresConnection) {
        defer { isStopped.signal() }
        var connection = Optional(claiming)
        var renewed = claimed
        // The last reported count of changes; nil before the first report.
        var toldChanges: Int64?
        var (durability, durabilityLooked) = (Durability?.none, ContinuousClock.Instant?.none)
        while stop.wait(timeout: .now() + Self.interval) == .timedOut {
            if let fencing = end.withLock({ $0.fencing }) { return lose(fencing) }
            let asked = ContinuousClock.now
            do {
                // Time that is left until the lease counts as lost.
                func left() -> Duration { Ownership.renewalMax - (ContinuousClock.now - renewed) }
                let current = try connection ?? database.connect(for: "lease", within: left())
                connection = current
                if asked - renewed >= Self.renewalInterval {
                    guard let born = try ownership.renewLease(on: current, within: left()) else {
                        return lose(LogError(.fenced, "Another relay has taken over the database."))
                    }
                    // A relay without commits would otherwise continue to show events that may be missing in this database.
                    guard born == bornOn else { return lose(Ownership.anotherLife) }
                    renewed = asked
                }
                let changes = try Self.changes(on: current, within: left())
                if changes != toldChanges, let body = whenEntrantsChanged.withLock({ $0 }) {
                    toldChanges = changes
                    body()
                }
                if let body = whenDurabilityChanged.withLock({ $0 }),
                    durabilityLooked.map({ asked - $0 >= Self.durabilityInterval }) ?? true
                {
                    let found = try Durability.read(on: current, within: left())
                    durabilityLooked = asked
                    if found != durability { body(found) }
                    durability = found
                }
            } catch {
                connection = nil
                guard ContinuousClock.now - renewed < Ownership.renewalMax else { return lose(LogError(error)) }
            }
        }
    }

    /// Number of changes of tokens and workspaces so far; see `Schema`.
    private static func changes(on connection: PostgresConnection, within limit: Duration) throws(PostgresError) -> Int64 {
        try connection.run(PostgresStatement("SELECT changes FROM entrants"), within: limit)[0].integer(0)
    }

    private func lose(_ error: LogError) {
        let body = end.withLock { end in
            end.loss = error
            defer { end.body = nil }
            return end.body
        }
        body?(error)
    }
}
