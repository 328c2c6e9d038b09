import Glibc
internal import HostCore

/// `heliograph connect claude` and `disconnect claude`: shows the change, asks, writes.
///
/// | scope | file |
/// |---|---|
/// | `user` | `$CLAUDE_CONFIG_DIR/settings.json`, else `~/.claude/settings.json` |
/// | `project` | `.claude/settings.local.json` in the working directory: personal, and Claude Code keeps it out of git |
///
/// Exit status: 0 done, or nothing to do, or a dry run; 1 not confirmed. Whatever else is in the way is thrown, and then
/// nothing was written.
package enum ConnectCommand {
    package enum Scope: String, CaseIterable, Sendable { case user, project }

    package static func connect(
        scope: Scope, executable: String, todoTools: Bool, askRules: [String], assumeYes: Bool, dryRun: Bool
    ) throws(ConnectError) -> Int32 {
        let file = SettingsFile(path: path(of: scope))
        let current = try file.read()
        var askRules = askRules
        let asksAlready = !askRules.isEmpty || ClaudeSettings.asks(current ?? []) || asks(besides: scope)
        if !asksAlready, !assumeYes, !dryRun, isatty(STDIN_FILENO) == 1, wantsToBeAsked() { askRules = [everyCommand] }
        let inherited = scope == .project ? try inheritedStatusLine() : nil
        var edit: ClaudeSettings.Edit
        do {
            edit = try ClaudeSettings.connect(
                current, executable: executable, todoTools: todoTools, askRules: askRules, inheritedStatusLine: inherited)
        } catch {
            throw [.unfitExecutable, .unfitRule].contains(error.code) ? error : error.inFile(file.path)
        }
        if !ClaudeSettings.asks(edit.bytes ?? []), !asks(besides: scope) { edit.notes.append(autoModeNote(scope)) }
        return try apply(edit, to: file, current, unchanged: "already connected", assumeYes, dryRun)
    }

    package static func disconnect(scope: Scope, assumeYes: Bool, dryRun: Bool) throws(ConnectError) -> Int32 {
        let file = SettingsFile(path: path(of: scope))
        guard let current = try file.read() else {
            say("\(file.path): not connected; nothing to change.\n")
            return 0
        }
        let edit: ClaudeSettings.Edit
        do {
            edit = try ClaudeSettings.disconnect(current)
        } catch {
            throw error.inFile(file.path)
        }
        return try apply(edit, to: file, current, unchanged: "not connected", assumeYes, dryRun)
    }

    package static func path(of scope: Scope, environment: (String) -> String? = HostPaths.variable) -> String {
        switch scope {
        case .project: return workingDirectory() + "/.claude/settings.local.json"
        case .user:
            if let directory = environment("CLAUDE_CONFIG_DIR"), !directory.isEmpty { return directory + "/settings.json" }
            return HostPaths(environment: environment).home + "/.claude/settings.json"
        }
    }

    // MARK: - What asks

    /// Whether the agent asks by some settings that hold here, besides those of a scope.
    static func asks(besides scope: Scope? = nil) -> Bool {
        let paths = Scope.allCases.filter { $0 != scope }.map { path(of: $0) } + [sharedProjectPath]
        return paths.contains { path in ((try? SettingsFile(path: path).read()) ?? nil).map(ClaudeSettings.asks) ?? false }
    }

    static let autoMode = "in auto mode, its own default, Claude Code runs most commands without asking, so no approval appears"

    /// The rule by which Claude Code asks before it runs a command.
    private static let everyCommand = "Bash"

    private static func wantsToBeAsked() -> Bool {
        say("\(autoMode.prefix(1).uppercased())\(autoMode.dropFirst()).\nHave it ask before every command? [y/N] ")
        return answeredYes()
    }

    private static func answeredYes() -> Bool { ["y", "yes"].contains(readLine()?.lowercased()) }

    private static func autoModeNote(_ scope: Scope) -> String {
        let again = "heliograph connect claude --ask Bash" + (scope == .project ? " --project" : "")
        return "\(autoMode.prefix(1).uppercased())\(autoMode.dropFirst()). `\(again)` has it ask before every command; "
            + "`claude --permission-mode manual` asks as it used to, for one session."
    }

    // MARK: - Steps

    static func apply(
        _ edit: ClaudeSettings.Edit, to file: SettingsFile, _ current: [UInt8]?, unchanged: String, _ assumeYes: Bool,
        _ dryRun: Bool, holds: String = "It holds for sessions that start from now on."
    ) throws(ConnectError) -> Int32 {
        say(UnifiedDiff.text(from: current, to: edit.bytes, path: file.path))
        // After the change, which fills a screen or two.
        for note in edit.notes { say("Note: \(note)\n") }
        if edit.bytes == current {
            say("\(file.path): \(unchanged); nothing to change.\n")
            return 0
        }
        if dryRun { return 0 }
        guard assumeYes || isConfirmed() else { return 1 }
        try file.write(edit.bytes, replacing: current)
        say(
            edit.bytes == nil
                ? "Removed \(file.path).\n" : "Wrote \(file.path). \(holds)\n")
        return 0
    }

    private static func isConfirmed() -> Bool {
        guard isatty(STDIN_FILENO) == 1 else {
            say("Nothing written: there is no terminal to ask on. Say --yes to apply this.\n")
            return false
        }
        say("Apply this change? [y/N] ")
        if answeredYes() { return true }
        say("Nothing written.\n")
        return false
    }

    /// A status line in a project's local settings would hide the one of the project or of the user.
    private static func inheritedStatusLine() throws(ConnectError) -> String? {
        for path in [sharedProjectPath, path(of: .user)] {
            guard let bytes = try SettingsFile(path: path).read() else { continue }
            if let command = ClaudeSettings.statusLineCommand(bytes) { return command }
        }
        return nil
    }

    /// The settings that a project has in git.
    private static var sharedProjectPath: String { workingDirectory() + "/.claude/settings.json" }

    private static func workingDirectory() -> String {
        // The C library allocates the path, and it is freed once it has been read.
        guard let directory = unsafe getcwd(nil, 0) else { return "." }
        defer { unsafe free(directory) }
        return unsafe String(cString: directory)
    }

    private static func say(_ text: String) { HookStream.write(Array(text.utf8)) }
}
