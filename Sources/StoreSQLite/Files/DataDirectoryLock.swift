internal import Glibc
internal import Synchronization

/// Held for as long as it lives; the system lets go of it when the process ends, however it ends.
package final class DataDirectoryLock: Sendable {
    private let descriptor: Int32
    /// Of the data file. To close it drops what SQLite has locked of that file, so the lock outlives the store.
    private let dataFile = Mutex<Int32?>(nil)

    init(descriptor: Int32) { self.descriptor = descriptor }

    var hasDataFile: Bool { dataFile.withLock { $0 != nil } }

    /// Closed with this lock.
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
