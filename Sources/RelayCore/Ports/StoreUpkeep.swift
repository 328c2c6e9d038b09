/// The port to what keeps a store in order: room for decisions, checks, backups.
package protocol StoreUpkeep: Sendable {
    /// What the store takes on its disk, in bytes, with what it has not put in its place yet.
    var byteCount: Int64 { get }

    // MARK: Room

    /// The disk is full, and what is committed takes what was kept on it for decisions. Safe to call while another thread commits.
    var isShortOfRoom: Bool { get }

    /// Keeps some, where none is kept. False where there is no room for it. Called from the thread that commits; takes as long as the disk.
    func keepRoom() -> Bool

    /// Whether a batch of so many bytes would be taken now, found out by a write that changes nothing. Called from the thread that
    /// commits; takes as long as the disk.
    func wouldTake(bytes: Int) -> Bool

    /// How many revocations hold, and are on disk, and have not found room where tokens are.
    var waitingRevocations: Int { get throws(LogError) }

    // MARK: Damage

    /// False once damage was met that writing could spread.
    var takesWrites: Bool { get }

    /// What the last load, and the last check of everything, found that is not as it was written, or does not decode. It is left as it is
    /// until something takes its place.
    var damagedRecords: [DamagedRecord] { get }

    /// Reads everything that is stored, in the background. Throws `damaged` where that is no matter of single records; nothing is
    /// written after that. Hands back the events that are not as they were written, which `damagedRecords` then has, too; nil where the
    /// store was closed before the end.
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
