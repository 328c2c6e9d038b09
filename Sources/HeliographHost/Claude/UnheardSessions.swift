internal import AgentClaude
internal import Glibc
internal import HostCore
internal import RelayProtocol

/// Finds sessions that are in Claude Code's registry but that no hook reports: `--setting-sources`, `--bare` and an administrator's
/// settings leave our hooks out, and settings can stop them in the middle of a session.
///
/// Otherwise only processes that began after this one count, as the reports of older ones can have been lost.
struct UnheardSessions {
    /// Entries that are read; ended processes sometimes leave theirs.
    private static let countMax = 4_096
    /// Time between two looks. An entry that is there at two of them is no longer starting.
    static let every = Duration.seconds(10)

    private let configDirectory = ClaudeDirectory.path()
    /// This process; nil if it cannot be distinguished from its successors.
    private let daemon = AgentProcessTable.process(getpid())
    private var seen: Set<ClaudeUnheard> = []
    private var told: Set<ClaudeUnheard> = []
    /// The sessions, without settings, whose settings had our hooks at an earlier look.
    private var connected: Set<ClaudeUnheard> = []

    /// The sessions that were open at the last look too, each once with the same settings in force; the adapter knows which of them a
    /// hook has reported.
    mutating func look() -> [ClaudeUnheard] {
        guard let daemon else { return [] }
        var known: [String?: ClaudeUnheard.Settings] = [:]
        let bare = entries { _ in true }
        connected.formIntersection(bare)
        let open = Set(
            bare.map { entry in
                var settings = known[entry.folder] ?? Self.settings(in: entry.folder)
                known[entry.folder] = settings
                // Claude Code drops hooks that are removed while it runs.
                if !settings.isConnected, connected.contains(entry) { settings.isBlocked = true }
                if settings.isConnected { connected.insert(entry) }
                if Self.isOurs(entry.process) { settings.isConnected = true }
                var entry = entry
                entry.settings = settings
                return entry
            })
        let lasting = open.intersection(seen).subtracting(told)
        seen = open
        told = told.intersection(open).union(lasting)
        return lasting.filter { $0.process.startedAt > daemon.startedAt || $0.settings?.isBlocked == true }
            .sorted { $0.name < $1.name }
    }

    private static func settings(in folder: String?) -> ClaudeUnheard.Settings {
        ClaudeUnheard.Settings(
            isConnected: ClaudeConnect.isConnected(in: folder),
            isBlocked: ClaudeHookPolicy.inForce(in: folder).obstacle != nil)
    }

    /// True if `heliograph claude` or `heliograph run` has started it with our hooks.
    private static func isOurs(_ process: AgentProcess) -> Bool {
        AgentProcessTable.arguments(of: process.id)?.contains { ClaudeCommand.isNamed(in: Array($0.utf8)) } == true
    }

    /// All that are open, in the order in which their processes began.
    func open() -> [ClaudeUnheard] {
        entries { _ in true }.sorted { ($0.process.startedAt, $0.process.id) < ($1.process.startedAt, $1.process.id) }
    }

    private func entries(of isMeant: (AgentProcess) -> Bool) -> [ClaudeUnheard] {
        let directory = configDirectory + "/sessions"
        let names = Files.names(in: directory).filter { $0.hasSuffix(".json") }.prefix(Self.countMax)
        return names.compactMap { file -> ClaudeUnheard? in
            // The number is in the name: entries of other processes are not read.
            guard let id = Int32(file.dropLast(5)), let process = AgentProcessTable.process(id),
                isMeant(process), AgentProcessTable.isAlive(process),
                let entry = RegistryReader.read(directory + "/" + file)?.root, let name = entry.text("sessionId"),
                // Without a status the session has not begun: it waits until a folder is trusted or a session is chosen.
                entry.text("status") != nil,
                entry.text("procStart").flatMap({ UInt64($0) }) ?? process.startedAt == process.startedAt
            else { return nil }
            return ClaudeUnheard(name: name, process: process, folder: entry.text("cwd"))
        }
    }
}
