import Glibc

/// A session's end that its hook could tell nobody, as no daemon ran: a file that the next one reads, which would find the process gone
/// and take it for killed.
///
/// The first line names the agent and the event; what the agent wrote follows. A file has its name when all of it is there.
package struct LeftWord: Sendable, Equatable {
    /// The only one after which nothing comes that would tell.
    static let event = "SessionEnd"
    /// Sessions that end while no daemon runs; one that never comes back gets no more.
    private static let wordsMax = 256
    /// Such an event has about 500 bytes.
    private static let bytesMax = 64 << 10
    private static let ending = ".word"
    /// A hook writes its draft within milliseconds: an older one is of a hook that was killed.
    private static let draftSecondsMax = 60

    package let agent: String
    package let event: String
    package let payload: [UInt8]

    /// The daemon makes it, so that there is none for a machine that has had no daemon.
    package static func folder(in stateDirectory: String) -> String { stateDirectory + "/unheard" }

    // MARK: In a hook

    /// Fails silently: then the process is found gone, as without this.
    static func leave(_ payload: [UInt8], agent: String, event: String, in stateDirectory: String) {
        let folder = folder(in: stateDirectory)
        guard payload.count <= bytesMax, let names = names(in: folder), names.count < wordsMax,
            let name = HookRequest.randomCall()
        else { return }
        let (draft, path) = ("\(folder)/\(name)", "\(folder)/\(name)\(ending)")
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let bytes = Array("\(agent) \(event)\n".utf8) + payload
        let isWritten = unsafe write(descriptor, bytes, bytes.count) == bytes.count
        let isClosed = close(descriptor) == 0
        guard isWritten, isClosed, unsafe rename(draft, path) == 0 else {
            unsafe unlink(draft)
            return
        }
    }

    // MARK: In the daemon

    /// All that were left, which are left no more.
    package static func take(from stateDirectory: String) -> [LeftWord] {
        let folder = folder(in: stateDirectory)
        return (names(in: folder) ?? []).sorted().compactMap { name in
            let path = "\(folder)/\(name)"
            guard name.hasSuffix(ending) || isOld(path) else { return nil }
            defer { unsafe unlink(path) }
            return name.hasSuffix(ending) ? read(path) : nil
        }
    }

    private static func isOld(_ draft: String) -> Bool {
        var facts = stat()
        return unsafe lstat(draft, &facts) == 0 && time(nil) - facts.st_mtim.tv_sec > draftSecondsMax
    }

    private static func read(_ path: String) -> LeftWord? {
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: bytesMax + 256)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        guard count > 0, let end = bytes[..<count].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        guard words.count == 2 else { return nil }
        return LeftWord(agent: String(words[0]), event: String(words[1]), payload: Array(bytes[(end + 1)..<count]))
    }

    /// Nil if there is no such folder.
    private static func names(in folder: String) -> [String]? {
        guard let directory = unsafe opendir(folder) else { return nil }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        // The entry is read before the next call could reuse its storage.
        while names.count < wordsMax, let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
