internal import AgentClaude
internal import Glibc
internal import HeliographPlatform
internal import RelayProtocol

/// Reads the entries of Claude Code's session registry that changed since the last look.
///
/// Another program writes them at any moment, and anything may be stored under their names: an entry that is not a file, is too
/// long or half written is skipped, read again at the next look, and never holds up the daemon.
struct RegistryReader {
    /// Bytes of an entry; it usually has about 700.
    private static let bytesMax = 64 << 10

    private var stamps: [ClaudeRegistryFile: FileStamp] = [:]

    enum Change { case entry(JSONDocument), gone }

    /// Reads these files and no others; the state of files that are not listed any more is forgotten.
    mutating func changes(in files: [ClaudeRegistryFile]) -> [(session: SessionID, change: Change)] {
        var changes: [(session: SessionID, change: Change)] = []
        var kept: [ClaudeRegistryFile: FileStamp] = [:]
        for file in files {
            guard let stamp = FileStamp(of: file.path) else {
                if stamps[file] != nil { changes.append((file.session, .gone)) }
                continue
            }
            guard stamp != stamps[file] else {
                kept[file] = stamp
                continue
            }
            guard let entry = Self.read(file.path) else {
                kept[file] = stamps[file]
                continue
            }
            kept[file] = stamp
            changes.append((file.session, .entry(entry)))
        }
        stamps = kept
        return changes
    }

    static func read(_ path: String) -> JSONDocument? {
        // Opening a pipe that nobody writes to must not block.
        guard let file = try? File(path, O_RDONLY | O_NONBLOCK), let size = try? file.size(), (1...bytesMax).contains(size),
            let bytes = try? file.read(at: 0, count: size)
        else { return nil }
        return try? JSONDocument(parsing: bytes)
    }
}
