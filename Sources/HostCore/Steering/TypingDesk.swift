import RelayProtocol

/// Keys that clients send to terminals of this host. Each message is typed once, and the session's log gets their number. The keys
/// themselves are not kept anywhere.
struct TypingDesk {
    struct Count: Equatable {
        let session: SessionID
        let by: Named<ClientTag>
        let bytes: Int64
    }

    /// Time between two counts of one client: typing a page should not fill a page of the log.
    static let countEvery = Duration.seconds(30)
    /// Messages that are remembered: a client repeats one right away, if at all.
    static let knownMax = 256

    private struct Typist {
        var by: Named<ClientTag>
        /// Bytes that are not counted in the log yet.
        var bytes: Int64
        var until: Int64
    }

    private struct Key: Hashable {
        let session: SessionID
        let client: ClientID
    }

    private var typists: [Key: Typist] = [:]
    private var known: [SteeringName] = []

    func knows(_ name: SteeringName) -> Bool { known.contains(name) }

    /// Handles typed keys. The first are counted before they are typed, the following ones together.
    mutating func typed(
        _ count: Int, as name: SteeringName, by client: Named<ClientTag>, in session: SessionID, at now: HostInstant
    ) -> [Count] {
        known.append(name)
        if known.count > Self.knownMax { known.removeFirst() }
        let key = Key(session: session, client: client.id)
        guard typists[key] == nil else {
            typists[key]?.bytes += Int64(count)
            typists[key]?.by = client
            return []
        }
        typists[key] = Typist(by: client, bytes: 0, until: now.monotonic + Self.countEvery.milliseconds)
        return [Count(session: session, by: client, bytes: Int64(count))]
    }

    var nextDeadline: Int64? { typists.values.map(\.until).min() }

    mutating func due(at now: HostInstant) -> [Count] {
        var counts: [Count] = []
        for (key, typist) in typists where typist.until <= now.monotonic {
            guard typist.bytes > 0 else {
                typists[key] = nil
                continue
            }
            counts.append(Count(session: key.session, by: typist.by, bytes: typist.bytes))
            typists[key] = Typist(by: typist.by, bytes: 0, until: now.monotonic + Self.countEvery.milliseconds)
        }
        return Self.inOrder(counts)
    }

    mutating func ended(_ session: SessionID) -> [Count] { take { $0.session == session } }

    /// The counts that are left when the daemon stops.
    mutating func stopped() -> [Count] { take { _ in true } }

    private mutating func take(_ isMeant: (Key) -> Bool) -> [Count] {
        let taken = typists.filter { isMeant($0.key) }
        for key in taken.keys { typists[key] = nil }
        return Self.inOrder(
            taken.filter { $0.value.bytes > 0 }.map { Count(session: $0.key.session, by: $0.value.by, bytes: $0.value.bytes) })
    }

    /// Sorts the counts, so that the same facts give the same orders.
    private static func inOrder(_ counts: [Count]) -> [Count] {
        counts.sorted { ($0.session.rawValue, $0.by.id.rawValue) < ($1.session.rawValue, $1.by.id.rawValue) }
    }
}
