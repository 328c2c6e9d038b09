internal import HostCore
internal import RelayProtocol

/// Settings that keep Claude Code from running our hooks although they are installed.
///
/// Seen with 2.1.329: the administrator's settings come first, then those of the project in this folder (the personal ones before
/// the shared ones), then the person's own. `--setting-sources` and `--bare`, options of one session, cannot be seen from here.
struct ClaudeHookPolicy {
    private static let managedFolder = "/etc/claude-code"
    private static let managedMax = 64

    /// The administrator's settings files, of which each applies by itself.
    private let managed: [String]
    /// The other settings files; the first with a value applies.
    private let own: [String]

    init(managed: [String], own: [String]) {
        self.managed = managed
        self.own = own
    }

    /// The policy in force in the working directory.
    static var here: ClaudeHookPolicy { inForce(in: ClaudeConnect.workingDirectory()) }

    /// The policy in force in a folder; nil is no folder.
    static func inForce(in folder: String?) -> ClaudeHookPolicy {
        let parts = Files.names(in: managedFolder + "/managed-settings.d").filter { $0.hasSuffix(".json") }.sorted()
        return ClaudeHookPolicy(
            managed: parts.suffix(managedMax).reversed().map { "\(managedFolder)/managed-settings.d/\($0)" } + [
                "\(managedFolder)/managed-settings.json", ClaudeDirectory.path() + "/remote-settings.json",
            ],
            own: (folder.map { [ClaudeConnect.localPath(in: $0), ClaudeConnect.sharedPath(in: $0)] } ?? [])
                + [ClaudeConnect.path(of: .user)])
    }

    /// The reason why our hooks do not run, as a sentence, and the remedy; nil if nothing prevents them. A file that cannot be read
    /// or is not JSON counts as empty.
    var obstacle: (words: String, mend: String)? {
        for path in managed {
            guard let settings = Self.read(path), !ClaudeCommand.isNamed(in: Array(settings.bytes)) else { continue }
            let ask = "ask your administrator to add Heliograph's hooks to the managed settings"
            if settings.isTrue("allowManagedHooksOnly") {
                return ("Claude Code runs only the administrator's hooks (allowManagedHooksOnly in \(path))", ask)
            }
            let locked = settings.list("strictPluginOnlyCustomization").contains { (try? $0.string()) == "hooks" }
            if locked || settings.isTrue("strictPluginOnlyCustomization") {
                return ("Claude Code runs no hooks of settings (strictPluginOnlyCustomization in \(path))", ask)
            }
        }
        for path in managed + own {
            guard let isOff = Self.read(path)?.optional("disableAllHooks") else { continue }
            let isSet =
                (try? isOff.bool()) ?? !["null", #""false""#].contains(String(decoding: Array(isOff.bytes), as: UTF8.self))
            guard isSet else { return nil }
            return ("Claude Code runs no hooks (disableAllHooks in \(path))", "remove disableAllHooks from \(path)")
        }
        return nil
    }

    /// True if some PermissionRequest hook is not ours. Hooks of plugins are not seen.
    var hasOtherAnswerer: Bool {
        (managed + own).contains { path in
            let entries = Self.read(path)?.optional("hooks")?.list("PermissionRequest") ?? []
            return entries.flatMap { $0.list("hooks") }.contains { $0.text("command").map { ClaudeCommand($0) == nil } ?? true }
        }
    }

    /// The reason, for the person at the terminal, why a session that starts here is not reported; nil if it is.
    static var remark: String? {
        here.obstacle.map { "\($0.words): nothing of what this session does is reported. Mend: \($0.mend)." }
    }

    private static func read(_ path: String) -> JSONValue? {
        (try? SettingsFile(path: path).read()).flatMap { $0 }.flatMap { try? JSONDocument(parsing: $0).root.object() }
    }
}
