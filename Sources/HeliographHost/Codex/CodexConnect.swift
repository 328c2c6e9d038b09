internal import HeliographHook

/// `heliograph connect codex` and `disconnect codex`: they write only a small file of ours, and none of Codex's.
struct CodexConnect: ConnectPart {
    let program = "codex"
    let summary = "lets the host attach to the server that Codex shares with its terminal"
    let options: Set<ConnectOption> = []
    let examples = [(line: "connect codex", does: "Codex, in addition to its own terminal")]
    let remark: String? = nil
    private let paths = HostPaths()

    func isConnected(_ place: ConnectPlace) -> Bool { place == .user && Files.isThere(CodexSettings.file(paths)) }

    func connect(_ request: ConnectRequest) throws(ConnectError) -> Int32 {
        let settings = CodexSettings(home: CodexSettings.home(paths))
        var edit = SettingsEdit(
            bytes: settings.bytes, summary: ["a file of ours: the host attaches to the Codex of \(settings.home)"])
        do throws(CodexSocket.AddressError) {
            _ = try CodexSocket(home: settings.home)
        } catch {
            switch error {
            case .absent:
                edit.notes.append(
                    "Codex's app-server does not run in \(settings.home). `codex` 0.157 or later starts it; it is found then.")
            case .unsafe(let words): edit.notes.append("\(words): the host does not talk to it until that is fixed.")
            }
        }
        return try change(edit, request, unchanged: "already connected")
    }

    func disconnect(_ request: ConnectRequest) throws(ConnectError) -> Int32 {
        try change(
            SettingsEdit(bytes: nil, summary: ["removes this file of ours: the host leaves Codex alone"]), request,
            unchanged: "not connected")
    }

    private func change(
        _ edit: SettingsEdit, _ request: ConnectRequest, unchanged: String
    ) throws(ConnectError) -> Int32 {
        let file = SettingsFile(path: CodexSettings.file(paths))
        if edit.bytes != nil, !request.dryRun {
            do throws(HostError) { try Files.makePrivateDirectory(paths.configDirectory) } catch {
                throw ConnectError(.unwritable, at: paths.configDirectory, error.message)
            }
        }
        return try edit.apply(
            to: file, try file.read(), unchanged: unchanged, request, holds: "A running host checks it every second.")
    }
}
