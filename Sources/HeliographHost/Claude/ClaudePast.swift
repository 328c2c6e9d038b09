internal import AgentClaude
internal import Glibc
internal import HostCore
internal import RelayProtocol

/// The past sessions of one folder, as Claude Code's transcripts show them.
struct ClaudePast {
    /// Transcripts whose age is looked at; only those that are listed are read.
    private static let filesMax = 4_096
    /// Bytes read of a transcript: the first prompt is near the beginning.
    private static let readBytes = 128 << 10
    private static let titleBytesMax = 512

    /// Most folders of transcripts; Claude Code has one for each folder in which it was started.
    private static let foldersMax = 4_096

    private typealias Lines = LazyMapSequence<
        LazyFilterSequence<LazyMapSequence<[ArraySlice<UInt8>], JSONValue?>>, JSONValue
    >

    /// The project's path as Claude Code's transcripts spell it, byte for byte: two spellings of one name are two folders.
    private let projects: [[UInt8]]
    private let folders: [String]
    private let configDirectory: String

    init(of project: String, configDirectory: String = ClaudeDirectory.path()) {
        // The kernel reports a process's folder with links resolved.
        let spellings = ProjectsFile.folder(project).map { [project, $0] } ?? [project]
        projects = spellings.map { Array($0.utf8) }
        let parent = configDirectory + "/projects"
        let names = spellings.map { TranscriptFolder(of: $0) }
        let all = names.allSatisfy { $0.only != nil } ? names.compactMap(\.only) : Files.names(in: parent)
        folders = Set(all.prefix(Self.foldersMax).filter { name in names.contains { $0.canBe(name) } }).sorted()
            .map { "\(parent)/\($0)" }
        self.configDirectory = configDirectory
    }

    /// True if this project has a session of that name.
    func has(_ session: String) -> Bool {
        folders.contains { beginning(of: "\($0)/\(session).jsonl").map(isOurs) == true }
    }

    /// The past sessions, the latest first. Blocks.
    func list() -> [PastSession] {
        let paths = folders.flatMap { folder in
            Files.names(in: folder).filter { $0.hasSuffix(".jsonl") }.map {
                (id: String($0.dropLast(6)), path: "\(folder)/\($0)")
            }
        }
        let found = paths.prefix(Self.filesMax).compactMap { id, path -> (id: String, path: String, at: Int64)? in
            guard Self.isName(id), let at = Self.changed(path) else { return nil }
            return (id, path, at)
        }
        var sessions: [PastSession] = []
        for (id, path, at) in found.sorted(by: { ($0.at, $0.id) > ($1.at, $1.id) })
        where sessions.count < WireLimits.pastSessionsMax {
            guard let lines = beginning(of: path), isOurs(lines), let title = title(in: lines) else { continue }
            let isOpen = LiveSessions.process(of: id.lowercased(), in: configDirectory) != nil
            sessions.append(PastSession(id: id, title: title, at: at, isOpen: isOpen))
        }
        return sessions
    }

    /// True for a name that Claude Code's command line takes.
    static func isName(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.map(\.count) == [8, 4, 4, 4, 12] && parts.allSatisfy { $0.allSatisfy { $0.isHexDigit && $0.isASCII } }
    }

    /// Time of the last change, in milliseconds since 1970.
    private static func changed(_ path: String) -> Int64? {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(facts.st_mtim.tv_sec) * 1_000 + Int64(facts.st_mtim.tv_nsec) / 1_000_000
    }

    /// The first lines of a transcript, each parsed when it is reached, or nil if it cannot be read.
    private func beginning(of path: String) -> Lines? {
        guard let file = try? File(path, O_RDONLY | O_NONBLOCK), let size = try? file.size(),
            let bytes = try? file.read(at: 0, count: min(size, Self.readBytes))
        else { return nil }
        return bytes.split(separator: UInt8(ascii: "\n")).lazy.compactMap { try? JSONDocument(parsing: Array($0)).root }
    }

    /// True if the conversation began in this project.
    private func isOurs(_ lines: Lines) -> Bool {
        guard let folder = lines.compactMap({ $0.text("cwd") }).first else { return false }
        return projects.contains { folder.utf8.elementsEqual($0) }
    }

    /// The person's first message; nil if there is none.
    private func title(in lines: Lines) -> String? {
        for entry in lines {
            guard entry.text("type") == "user", (try? entry.flag("isMeta")) != true, (try? entry.flag("isSidechain")) != true,
                let text = Self.text(of: entry)
            else { continue }
            return TextCut.line(Cleaner().clean(text), bytesMax: Self.titleBytesMax)
        }
        return nil
    }

    private static func text(of entry: JSONValue) -> String? {
        guard let message = try? entry.optional("message")?.object() else { return nil }
        let texts = message.text("content").map { [$0] } ?? message.list("content").compactMap { $0.text("text") }
        // Text in angle brackets is the program's own, not the person's.
        return texts.first { text in text.contains { !$0.isWhitespace } && text.first { !$0.isWhitespace } != "<" }
    }
}
