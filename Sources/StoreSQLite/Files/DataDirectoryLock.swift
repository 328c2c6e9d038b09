internal import Glibc
internal import Synchronization

/// The relay's lock on its directory, held as long as this object lives; the system releases it when the process ends, in whatever
/// way.
package final class DataDirectoryLock: Sendable {
    private let descriptor: Int32
    /// Descriptor of the data file. Closing it drops SQLite's locks on that file, so this lock must outlive the store.
    private let dataFile = Mutex<Int32?>(nil)

    init(descriptor: Int32) { self.descriptor = descriptor }

    var hasDataFile: Bool { dataFile.withLock { $0 != nil } }

    /// Takes the descriptor, which is closed with this lock.
    func keep(dataFile opened: Int32) {
        dataFile.withLock { held in
            precondition(held == nil, "a lock has one data file")
            held = opened
        }
    }

    deinit {
        if let file = dataFile.withLock({ $0 }) { close(file) }
        close(descriptor)
    }
}
