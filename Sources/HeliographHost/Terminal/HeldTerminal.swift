internal import Glibc
internal import HeliographHook
internal import HostCore
internal import RelayProtocol

/// One of this user's terminal holders, as it reports itself.
struct HeldTerminal {
    let id: String
    let directory: String
    /// Claude Code's own name of the session; nil before it has one.
    let session: String?
    /// The session's name for clients; nil while there is no session.
    let shown: SessionID?
    /// The program; nil for Claude Code.
    let program: String?
    let doing: String?
    let attached: Int64
    let startedAt: Int64

    private static let countMax = 1_024

    static func directory(_ paths: HostPaths) -> String { paths.stateDirectory + "/claude" }

    /// A connection to the process that holds a terminal, to be used in a loop; nil if no process listens.
    static func connect(_ id: String, _ paths: HostPaths = HostPaths()) -> Int32? {
        HookSocket(connectingTo: directory(paths) + "/" + id, until: .now + TerminalLimits().queryBudget)?.descriptorForALoop()
    }

    /// The holders that answer, oldest first. The socket of a killed one is removed.
    static func all(_ paths: HostPaths = HostPaths()) -> [HeldTerminal] {
        let directory = directory(paths)
        return Files.names(in: directory).filter { !$0.hasPrefix(".") }.sorted().prefix(countMax).compactMap { id in
            switch look(directory + "/" + id) {
            case .answers(let terminal): return terminal
            case .isGone:
                unsafe unlink(directory + "/" + id)
                return nil
            case .isSilent: return nil
            }
        }.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
    }

    private enum Look { case answers(HeldTerminal), isGone, isSilent }

    private static func look(_ path: String) -> Look {
        let limits = TerminalLimits()
        let until = ContinuousClock.now + limits.queryBudget
        guard let socket = HookSocket(connectingTo: path, until: until) else {
            return errno == ECONNREFUSED ? .isGone : .isSilent
        }
        let query = TerminalFrame(.query).bytes
        guard socket.send(query[...]) == query.count else { return .isSilent }
        var reader = TerminalFrameReader()
        while socket.wait(for: POLLIN, until: until) == .ready {
            switch socket.receive(bytesMax: limits.readBytes) {
            case .wait: continue
            case .end, .failed: return .isSilent
            case .bytes(let bytes):
                guard let frame = reader.take(bytes).first else { continue }
                guard frame.kind == .status, let root = try? JSONDocument(parsing: frame.content).root, let id = root.text("id")
                else { return .isSilent }
                return .answers(
                    HeldTerminal(
                        id: id, directory: root.text("directory") ?? "", session: root.text("session"),
                        shown: root.text("shown").flatMap { SessionID($0) }, program: root.text("program"),
                        doing: root.text("doing"),
                        attached: root.whole("attached") ?? 0, startedAt: root.whole("startedAt") ?? 0))
            }
        }
        return .isSilent
    }
}
