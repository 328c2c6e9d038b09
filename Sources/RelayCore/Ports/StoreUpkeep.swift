/// The port to a store's maintenance: disk space for decisions, checks, backups.
package protocol StoreUpkeep: Sendable {
    /// Size of the store on disk in bytes, including its write-ahead log.
    var byteCount: Int64 { get }

    // MARK: Room

    /// True if the disk is full, and commits use the space that was reserved for decisions. Safe to call while another thread
    /// commits.
    var isShortOfRoom: Bool { get }

    /// Allocates the reserve if there is none. False if there is no space for it. Called on the thread that commits; takes as long
    /// as the disk.
    func keepRoom() -> Bool

    /// True if a batch of this size could be written now, tested with a write that changes nothing. Called on the thread that
    /// commits; takes as long as the disk.
    func wouldTake(bytes: Int) -> Bool

    /// Number of revocations that are on disk and in force, but for which there was no space with the tokens.
    var waitingRevocations: Int { get throws(LogError) }

    // MARK: Damage

    /// False once damage was found that writing could spread.
    var takesWrites: Bool { get }

    /// Damaged records found by the last load and the last check of everything. Each is left as it is until it is replaced.
    var damagedRecords: [DamagedRecord] { get }

    /// Reads everything that is stored, in the background. Throws `damaged` if more than single records are damaged; nothing is
    /// written after that. Returns the damaged events, which are then in `damagedRecords` too; nil if the store was closed before
    /// the end.
    func checkEverything() throws(LogError) -> [DamagedRecord]?

    // MARK: Backup

    /// Writes a consistent copy of the store into a file while the relay continues; returns its size in bytes. A relay that starts
    /// on the copy begins a new epoch. `replacing`: whether an existing file may be replaced; otherwise that throws `conflict`.
    /// `texts`: named texts, such as a key that is next to the data, which are stored in the copy and restored from it.
    func backUp(to file: String, replacing: Bool, with texts: [String: String]) throws(LogError) -> Int64
}

extension StoreUpkeep {
    /// A store without its own disk has no waiting revocations.
    package var waitingRevocations: Int { get throws(LogError) { 0 } }

    package func backUp(to file: String, replacing: Bool) throws(LogError) -> Int64 {
        try backUp(to: file, replacing: replacing, with: [:])
    }
}
