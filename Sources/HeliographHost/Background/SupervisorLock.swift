internal import Glibc
internal import HeliographHook

/// A lock held by the one supervisor of a state directory; the file names its process. The kernel releases it when the process
/// ends.
struct SupervisorLock: ~Copyable {
    private let file: File

    static func path(_ paths: HostPaths) -> String { paths.stateDirectory + "/supervisor.lock" }

    /// Nil if another process holds the lock.
    init?(_ paths: HostPaths) throws(HostError) {
        let file = try File(Self.path(paths), O_RDWR | O_CREAT)
        // A command that looks for the holder holds the lock for a moment.
        let descriptor = file.descriptor
        let isOurs = BackgroundServices.wait(Self.lookMax) { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
        guard isOurs else { return nil }
        try Self.write("", to: file)
        self.file = file
    }

    /// Publishes that the record is carried out. `record`: the state of its file.
    borrowing func tell(_ record: String) throws(HostError) { try Self.write(record, to: file) }

    private static func write(_ record: String, to file: borrowing File) throws(HostError) {
        guard ftruncate(file.descriptor, 0) == 0, lseek(file.descriptor, 0, SEEK_SET) == 0 else {
            throw .file("empty", file.path)
        }
        try file.write(Array("\(getpid()) \(record)\n".utf8))
    }

    /// The record that the supervisor has carried out; nil if there is none, or no supervisor.
    static func record(_ paths: HostPaths) -> String? {
        guard let words = words(paths), words.count == 2 else { return nil }
        return words[1]
    }

    /// The process that holds the lock; nil if none does.
    static func holder(_ paths: HostPaths) -> pid_t? { words(paths)?.first.flatMap { pid_t($0) } }

    private static let bytesMax = 256
    private static let lookMax = Duration.seconds(1)

    /// The words in the file; nil if no process holds the lock.
    private static func words(_ paths: HostPaths) -> [String]? {
        guard let file = try? File(path(paths), O_RDWR) else { return nil }
        if flock(file.descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
        guard let text = try? file.read(at: 0, count: bytesMax), text.contains(0x0A) else { return nil }
        return String(decoding: text.prefix { $0 != 0x0A }, as: UTF8.self).split(separator: " ").map(String.init)
    }
}
