internal import Glibc

/// Held for as long as it lives; the system lets go of it when the process ends, however it ends.
package final class DataDirectoryLock: Sendable {
    private let descriptor: Int32

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}
