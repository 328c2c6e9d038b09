import Glibc
internal import HeliographHook

/// `heliograph connect claude` and `disconnect claude`: shows the change, asks, writes.
///
/// | place | file |
/// |---|---|
/// | `user` | `$CLAUDE_CONFIG_DIR/settings.json`, else `~/.claude/settings.json` |
/// | `project` | `.claude/settings.local.json` in the working directory: personal, and Claude Code keeps it out of git |
struct ClaudeConnect: ConnectPart {
    let program = "claude"
    let summary = "adds hooks and a status line to Claude Code's settings; your own hooks and status line stay"
    let options = Set(ConnectOption.allCases)
    let examples: [(line: String, does: String)] = [
        ("connect claude", "for all your projects"),
        ("connect claude --project", "for the project in this folder"),
        ("connect claude --dry-run", "show the change and do nothing"),
        ("connect claude --ask Bash", "make it ask before every command"),
    ]
    let remark: String? = """
        In auto mode, its own default, Claude Code runs most commands without asking; then there is nothing to approve. \
        --ask adds permission rules that make it ask all the same; `disconnect` removes them again.
        """

    func isConnected(_ place: ConnectPlace) -> Bool {
        guard let bytes = try? SettingsFile(path: Self.path(of: place)).read() else { return false }
        return ClaudeCommand.isNamed(in: bytes)
    }

    /// True if Claude Code calls our hooks here, by any of the settings in force.
    static var isConnectedHere: Bool { isConnected(in: workingDirectory()) }

    /// True if Claude Code calls our hooks in another folder; nil is no folder.
    static func isConnected(in folder: String?) -> Bool {
        let ofProject = folder.map { [localPath(in: $0), sharedPath(in: $0)] } ?? []
        return ([path(of: .user)] + ofProject).contains { path in
            (try? SettingsFile(path: path).read()).flatMap { $0 }.map(ClaudeCommand.isNamed(in:)) == true
        }
    }

    func connect(_ request: ConnectRequest) throws(ConnectError) -> Int32 {
        let place = request.place
        let file = SettingsFile(path: Self.path(of: place))
        let current = try file.read()
        var askRules = request.askRules
        let asksAlready = !askRules.isEmpty || ClaudeSettings.asks(current ?? []) || Self.asks(besides: place)
        if !asksAlready, !request.assumeYes, !request.dryRun, Dialog.hasTerminal, Self.wantsToBeAsked() {
            askRules = [Self.everyCommand]
        }
        let inherited = place == .project ? try Self.inheritedStatusLine() : nil
        var edit: SettingsEdit
        do {
            edit = try ClaudeSettings.connect(
                current, executable: HookProgram.path(beside: request.executable), todoTools: request.todoTools,
                askRules: askRules,
                inheritedStatusLine: inherited)
        } catch {
            throw [.unfitExecutable, .unfitRule].contains(error.code) ? error : error.inFile(file.path)
        }
        if !ClaudeSettings.asks(edit.bytes ?? []), !Self.asks(besides: place) { edit.notes.append(Self.autoModeNote(place)) }
        edit.summary = ClaudeSettingsChange.sentences(from: current, to: edit.bytes)
        if let note = OwnProgram.passingNote(on: HookProgram.path(beside: request.executable)) { edit.notes.append(note) }
        if let obstacle = ClaudeHookPolicy.here.obstacle {
            edit.notes.append("\(obstacle.words): nothing will be reported. Mend: \(obstacle.mend).")
        }
        return try edit.apply(to: file, current, unchanged: "already connected", request)
    }

    func disconnect(_ request: ConnectRequest) throws(ConnectError) -> Int32 {
        let file = SettingsFile(path: Self.path(of: request.place))
        guard let current = try file.read() else {
            Dialog.say("\(file.path): not connected; nothing to change.\n")
            return 0
        }
        var edit: SettingsEdit
        do {
            edit = try ClaudeSettings.disconnect(current)
        } catch {
            throw error.inFile(file.path)
        }
        edit.summary = ClaudeSettingsChange.sentences(from: current, to: edit.bytes)
        return try edit.apply(
            to: file, current, unchanged: "not connected", request,
            holds: "Sessions that run already report nothing any more, either.")
    }

    static func path(of place: ConnectPlace, environment: (String) -> String? = HostPaths.variable) -> String {
        switch place {
        case .project: return localPath(in: workingDirectory())
        case .user: return ClaudeDirectory.path(environment: environment) + "/settings.json"
        }
    }

    // MARK: - What asks

    /// True if settings in force here, other than those of `place`, make the agent ask.
    static func asks(besides place: ConnectPlace? = nil) -> Bool {
        let paths = ConnectPlace.allCases.filter { $0 != place }.map { path(of: $0) } + [sharedProjectPath]
        return paths.contains { path in ((try? SettingsFile(path: path).read()) ?? nil).map(ClaudeSettings.asks) ?? false }
    }

    static let autoMode = "in auto mode, its own default, Claude Code runs most commands without asking, so no approval appears"

    /// The rule by which Claude Code asks before it runs a command.
    private static let everyCommand = "Bash"

    private static func wantsToBeAsked() -> Bool {
        Dialog.say("\(autoMode.prefix(1).uppercased())\(autoMode.dropFirst()).\nMake it ask before every command? [y/N] ")
        return Dialog.answeredYes()
    }

    private static func autoModeNote(_ place: ConnectPlace) -> String {
        let again = "heliograph connect claude --ask Bash" + (place == .project ? " --project" : "")
        return "\(autoMode.prefix(1).uppercased())\(autoMode.dropFirst()). `\(again)` makes it ask before every command; "
            + "`claude --permission-mode manual` asks as it used to, for one session."
    }

    // MARK: - Files

    /// The status line that one in a project's local settings would hide: that of the project or of the user.
    private static func inheritedStatusLine() throws(ConnectError) -> String? {
        for path in [sharedProjectPath, path(of: .user)] {
            guard let bytes = try SettingsFile(path: path).read() else { continue }
            if let command = ClaudeSettings.statusLineCommand(bytes) { return command }
        }
        return nil
    }

    /// The settings file that a project keeps in git.
    static var sharedProjectPath: String { sharedPath(in: workingDirectory()) }

    static func localPath(in folder: String) -> String { folder + "/.claude/settings.local.json" }

    static func sharedPath(in folder: String) -> String { folder + "/.claude/settings.json" }

    static func workingDirectory() -> String {
        // The C library allocates the path, which is freed after it was read.
        guard let directory = unsafe getcwd(nil, 0) else { return "." }
        defer { unsafe free(directory) }
        return unsafe String(cString: directory)
    }
}
