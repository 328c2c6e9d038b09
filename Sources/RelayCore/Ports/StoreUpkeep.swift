/// The port to what keeps a store in order: room for decisions, checks, backups.
package protocol StoreUpkeep: Sendable {
    /// Bytes that the store takes on its disk, including its write-ahead log.
    var byteCount: Int64 { get }

    // MARK: Room

    /// The disk is full, and what is committed takes what was kept on it for decisions. Safe to call while another thread commits.
    var isShortOfRoom: Bool { get }

    /// Allocates the reserve if there is none. False if there is no room for it. Called from the thread that commits; takes as long as
    /// the disk.
    func keepRoom() -> Bool

    /// True if a batch of this size would be taken now, found out by a write that changes nothing. Called from the thread that commits;
    /// takes as long as the disk.
    func wouldTake(bytes: Int) -> Bool

    /// Number of revocations in force and on disk that have not found room with the tokens.
    var waitingRevocations: Int { get throws(LogError) }

    // MARK: Damage

    /// False once damage was met that writing could spread.
    var takesWrites: Bool { get }

    /// Damaged records found by the last load and the last check of everything. Each is left as it is until something takes its place.
    var damagedRecords: [DamagedRecord] { get }

    /// Reads everything that is stored, in the background. Throws `damaged` if more than single records are damaged; nothing is written
    /// after that. Returns the damaged events, which `damagedRecords` then has, too; nil if the store was closed before the end.
    func checkEverything() throws(LogError) -> [DamagedRecord]?

    // MARK: Backup

    /// Writes everything as it is at one moment into a file of its own, while the relay goes on; hands back its size in bytes. A relay
    /// that starts on it begins a new epoch. `replacing` says whether it may take another file's place; else that is a `conflict`. `texts`
    /// by name, such as a key that is next to the data, go into it and come out with it.
    func backUp(to file: String, replacing: Bool, with texts: [String: String]) throws(LogError) -> Int64
}

extension StoreUpkeep {
    /// A store without a disk of its own has no place for any.
    package var waitingRevocations: Int { get throws(LogError) { 0 } }

    package func backUp(to file: String, replacing: Bool) throws(LogError) -> Int64 {
        try backUp(to: file, replacing: replacing, with: [:])
    }
}
