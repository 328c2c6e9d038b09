internal import Glibc
internal import HostCore
internal import RelayProtocol

/// The sessions that Claude Code keeps of one folder, by its transcripts.
struct ClaudePast {
    /// Looked at for their age; those that are listed are read.
    private static let filesMax = 4_096
    /// The first prompt is near the beginning.
    private static let readBytes = 128 << 10
    private static let titleBytesMax = 512

    private let folder: String
    private let configDirectory: String

    init(of project: String, configDirectory: String = ClaudeDirectory.path()) {
        // As Claude Code spells the folders of its transcripts.
        let name = String(project.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
        folder = configDirectory + "/projects/" + name
        self.configDirectory = configDirectory
    }

    /// Whether this project has a session of that name.
    func has(_ session: String) -> Bool { unsafe access(path(session), R_OK) == 0 }

    /// The latest first. Blocks.
    func list() -> [PastSession] {
        let names = Files.names(in: folder).filter { $0.hasSuffix(".jsonl") }.prefix(Self.filesMax)
        let found = names.compactMap { name -> (id: String, at: Int64)? in
            let id = String(name.dropLast(6))
            guard Self.isName(id), let at = Self.changed(path(id)) else { return nil }
            return (id, at)
        }
        var sessions: [PastSession] = []
        for (id, at) in found.sorted(by: { ($0.at, $0.id) > ($1.at, $1.id) }) where sessions.count < WireLimits.pastSessionsMax
        {
            guard let title = title(of: id) else { continue }
            let isOpen = LiveSessions.process(of: id.lowercased(), in: configDirectory) != nil
            sessions.append(PastSession(id: id, title: title, at: at, isOpen: isOpen))
        }
        return sessions
    }

    /// As its own command line takes it.
    static func isName(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { $0.allSatisfy { $0.isHexDigit && $0.isASCII } }
    }

    private func path(_ session: String) -> String { "\(folder)/\(session).jsonl" }

    /// In milliseconds since 1970.
    private static func changed(_ path: String) -> Int64? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(facts.st_mtim.tv_sec) * 1_000 + Int64(facts.st_mtim.tv_nsec) / 1_000_000
    }

    /// What the person first said; nil where nobody has said anything in it.
    private func title(of session: String) -> String? {
        guard let file = try? File(path(session), O_RDONLY), let size = try? file.size(),
            let bytes = try? file.read(at: 0, count: min(size, Self.readBytes))
        else { return nil }
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let entry = try? JSONDocument(parsing: Array(line)).root, entry.text("type") == "user",
                (try? entry.flag("isMeta")) != true, (try? entry.flag("isSidechain")) != true,
                let text = Self.text(of: entry)
            else { continue }
            return TextCut.line(Cleaner().clean(text), bytesMax: Self.titleBytesMax)
        }
        return nil
    }

    private static func text(of entry: JSONValue) -> String? {
        guard let message = try? entry.optional("message")?.object() else { return nil }
        let texts = message.text("content").map { [$0] } ?? message.list("content").compactMap { $0.text("text") }
        // What is in angle brackets is the program's own, not the person's.
        return texts.first { text in text.contains { !$0.isWhitespace } && text.first { !$0.isWhitespace } != "<" }
    }
}
