internal import AgentClaude
internal import Glibc
internal import HostCore
internal import RelayProtocol

/// Finds sessions that are in Claude Code's registry but that no hook reports: `--setting-sources`, `--bare` and an administrator's
/// settings leave our hooks out, and settings can stop them in the middle of a session.
///
/// Otherwise only processes that began after this one count, as the reports of older ones can have been lost. Nothing is reported if
/// nobody has connected Claude Code for the session, by its settings or by starting it through us.
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

    /// The sessions that were open at the last look too, each once, and once more when settings stop its hooks; the adapter knows
    /// which of them a hook has reported.
    mutating func look() -> [ClaudeUnheard] {
        guard let daemon else { return [] }
        var policies: [String?: Bool] = [:]
        let all = entries { _ in true }.map { entry in
            var entry = entry
            let isBlocked = policies[entry.folder] ?? (ClaudeHookPolicy.inForce(in: entry.folder).obstacle != nil)
            policies[entry.folder] = isBlocked
            entry.isBlocked = isBlocked
            return entry
        }
        let open = Set(all.filter { $0.process.startedAt > daemon.startedAt || $0.isBlocked })
        let lasting = open.intersection(seen).subtracting(told)
        seen = open
        told = told.intersection(open).union(lasting)
        return lasting.filter { ClaudeConnect.isConnected(in: $0.folder) || Self.isOurs($0.process) }
            .sorted { $0.name < $1.name }
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
