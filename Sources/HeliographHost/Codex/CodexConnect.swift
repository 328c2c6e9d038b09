internal import HostCore

/// `heliograph connect codex` and `disconnect codex`: a small file of ours, and nothing of Codex's.
package enum CodexConnect {
    package static func connect(assumeYes: Bool, dryRun: Bool, paths: HostPaths = HostPaths()) throws(ConnectError) -> Int32 {
        let settings = CodexSettings(home: CodexSettings.home(paths))
        var edit = ClaudeSettings.Edit(bytes: settings.bytes)
        do throws(CodexSocket.Problem) {
            _ = try CodexSocket(home: settings.home)
        } catch {
            switch error {
            case .absent:
                edit.notes.append(
                    "Codex's app-server does not run in \(settings.home). It starts with `codex`, and is found then.")
            case .unsafe(let words): edit.notes.append("\(words): it is not talked to as long as that is so.")
            }
        }
        return try change(edit, assumeYes, dryRun, paths, unchanged: "already connected")
    }

    package static func disconnect(assumeYes: Bool, dryRun: Bool, paths: HostPaths = HostPaths()) throws(ConnectError) -> Int32
    {
        try change(ClaudeSettings.Edit(bytes: nil), assumeYes, dryRun, paths, unchanged: "not connected")
    }

    private static func change(
        _ edit: ClaudeSettings.Edit, _ assumeYes: Bool, _ dryRun: Bool, _ paths: HostPaths, unchanged: String
    ) throws(ConnectError) -> Int32 {
        let file = SettingsFile(path: CodexSettings.file(paths))
        if edit.bytes != nil, !dryRun {
            do throws(HostError) { try Files.makePrivateDirectory(paths.configDirectory) } catch {
                throw ConnectError(.unwritable, at: paths.configDirectory, error.message)
            }
        }
        return try ConnectCommand.apply(
            edit, to: file, try file.read(), unchanged: unchanged, assumeYes, dryRun,
            holds: "A host that runs looks at it each second.")
    }
}
