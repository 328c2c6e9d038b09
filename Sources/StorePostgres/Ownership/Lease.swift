internal import Dispatch
internal import HeliographPlatform
internal import HeliographPostgreSQL
internal import RelayCore
internal import Synchronization

/// Renews what says that this process is alive, and checks whether anybody changed tokens or workspaces: on a thread and a connection
/// of its own, which is there for as long as the log is held.
final class Lease: Sendable {
    /// Between two looks. What is changed on another machine takes effect within two seconds.
    private static let interval = DispatchTimeInterval.seconds(1)
    /// Each is a write.
    private static let renewalInterval = Duration.seconds(2)
    /// Between two looks at what the database survives.
    private static let durabilityInterval = Duration.seconds(30)

    private let database: PostgresDatabase
    private let ownership: Ownership
    /// See `Ownership.Claim`.
    private let bornOn: String
    private let end = Mutex(End())
    private let whenEntrantsChanged = Mutex<(@Sendable () -> Void)?>(nil)
    private let whenDurabilityChanged = Mutex<(@Sendable (Durability) -> Void)?>(nil)
    private let stop = DispatchSemaphore(value: 0)
    private let isStopped = DispatchSemaphore(value: 0)

    /// When it was last renewed, as far as the claim knows.
    private let claimed: ContinuousClock.Instant

    private struct End {
        /// A commit was refused, as another has taken over.
        var fencing: LogError?
        var loss: LogError?
        /// Called once.
        var body: (@Sendable (LogError) -> Void)?
    }

    /// Goes on with the connection that claimed the log. An owner that is not connected is taken for dead, and until something is to be
    /// committed or read it may have no other.
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

    /// Called once, from a thread of its own, when this process can no longer count on holding the log; at once if it is lost already.
    func whenLost(_ body: @escaping @Sendable (LogError) -> Void) {
        let loss = end.withLock { end in
            if end.loss == nil { end.body = body }
            return end.loss
        }
        if let loss { body(loss) }
    }

    /// The database has refused a commit as another's: it is lost, however well the lease is. Told within `interval`, from this one's thread.
    func fenced(_ error: LogError) { end.withLock { $0.fencing = $0.fencing ?? error } }

    /// `body` is called soon, and whenever the count of changes is another one.
    func whenEntrantsChanged(_ body: @escaping @Sendable () -> Void) { whenEntrantsChanged.withLock { $0 = body } }

    /// `body` is called soon, and whenever it is another one; at most half a minute after.
    func whenDurabilityChanged(_ body: @escaping @Sendable (Durability) -> Void) {
        whenDurabilityChanged.withLock { $0 = body }
    }

    /// Returns when nothing is sent any more.
    func finish() {
        stop.signal()
        isStopped.wait()
    }

    private func run(_ claiming: PostgresConnection) {
        defer { isStopped.signal() }
        var connection = Optional(claiming)
        var renewed = claimed
        // The last count of changes that was reported; nil before the first.
        var toldChanges: Int64?
        var (durability, durabilityLooked) = (Durability?.none, ContinuousClock.Instant?.none)
        while stop.wait(timeout: .now() + Self.interval) == .timedOut {
            if let fencing = end.withLock({ $0.fencing }) { return lose(fencing) }
            let asked = ContinuousClock.now
            do {
                // A relay that waits longer has lost it.
                func left() -> Duration { Ownership.renewalMax - (ContinuousClock.now - renewed) }
                let current = try connection ?? database.connect(for: "lease", within: left())
                connection = current
                if asked - renewed >= Self.renewalInterval {
                    guard let born = try ownership.renewLease(on: current, within: left()) else {
                        return lose(LogError(.fenced, "Another relay has taken over the database."))
                    }
                    // A relay that commits nothing would go on showing what may be missing there.
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

    /// Number of changes of tokens and workspaces; see `Schema`.
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
