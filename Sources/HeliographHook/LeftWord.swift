import Glibc

/// The end of a session that its hook could not report because no daemon ran: a file for the next daemon, which would otherwise
/// find the process gone and take it for killed.
///
/// The first line names the agent and the event; the agent's input follows. The file gets its name only when it is complete.
package struct LeftWord: Sendable, Equatable {
    /// The only event that is kept: after it no other event would report the session.
    static let event = "SessionEnd"
    /// Most such files, for sessions that end while no daemon runs; if none ever comes back, no more are written.
    private static let wordsMax = 256
    /// Bytes of an event; it usually has about 500.
    private static let bytesMax = 64 << 10
    private static let ending = ".word"
    /// Age in seconds of a draft that a killed hook has left: hooks write theirs within milliseconds.
    private static let draftSecondsMax = 60

    package let agent: String
    package let event: String
    package let payload: [UInt8]

    /// The folder of the files. The daemon creates it, so there is none on a machine without a daemon.
    package static func folder(in stateDirectory: String) -> String { stateDirectory + "/unheard" }

    // MARK: In a hook

    /// Writes the file. Fails silently: then the next daemon finds the process gone, as it would without the file.
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

    /// Reads all such files and removes them.
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

    /// Names of the files; nil if there is no folder.
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
