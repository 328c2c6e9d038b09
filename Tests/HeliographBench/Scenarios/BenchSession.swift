/// One session of the load, numbered by its host: events count from 1, and the first begins the session.
struct BenchSession {
    let id: String
    /// Index of the host that makes it.
    let host: Int
    /// Start of every `events` message to a client, up to the number; known once a snapshot has named the epoch.
    var prefix: [UInt8] = []
    /// The number that the next event gets.
    var next: Int64 = 1
    /// Last number that the relay has acknowledged.
    var through: Int64 = 0
}
