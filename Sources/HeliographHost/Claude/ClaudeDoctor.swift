internal import HeliographHook
internal import RelayAccess
internal import RelayProtocol

/// Problems of Claude Code on this machine.
enum ClaudeDoctor {
    /// The oldest version with which all of our tests with the real program pass.
    private static let versionMin = [2, 1, 326]

    static func findings(executable: String) -> [Finding] {
        [program] + ConnectPlace.allCases.compactMap { hooks($0, executable) }
            + [obstacle(ClaudeHookPolicy.here)].compactMap(\.self)
            + [questions(areAsked: ClaudeConnect.asks())]
    }

    private static var program: Finding {
        do throws(HTTPError) {
            return program(version: try InstalledProgram.version(of: "claude"))
        } catch {
            return Finding(
                "Claude Code", .doubtful, "it is not on this PATH", mend: "install it, or open the shell in which it runs")
        }
    }

    static func program(version line: String) -> Finding {
        let version = line.prefix { $0.isNumber || $0 == "." }.split(separator: ".").compactMap { Int($0) }
        guard version.count >= 2 else {
            return Finding(
                "Claude Code", .doubtful, "it does not say its version: \(VisibleText.line(line))", mend: "claude update")
        }
        let isOld = version.lexicographicallyPrecedes(versionMin)
        let said = "version \(version.map(String.init).joined(separator: "."))"
        guard isOld else { return Finding("Claude Code", .well, said) }
        let oldest = versionMin.map(String.init).joined(separator: ".")
        return Finding(
            "Claude Code", .doubtful,
            "\(said): before \(oldest) not all that is shown is right, such as costs of forks, or prompts beside half-typed text",
            mend: "claude update")
    }

    /// The obstacle that keeps Claude Code from running its hooks; nil if there is none.
    static func obstacle(_ policy: ClaudeHookPolicy) -> Finding? {
        policy.obstacle.map { Finding("Hook policy", .wrong, "nothing is reported: \($0.words)", mend: $0.mend) }
    }

    /// Finding about whether the settings make Claude Code ask. A session's own option (`--permission-mode`) and an administrator's
    /// policy cannot be seen from here.
    static func questions(areAsked: Bool) -> Finding {
        areAsked
            ? Finding("Questions", .well, "Claude Code's settings make it ask")
            : Finding("Questions", .doubtful, ClaudeConnect.autoMode, mend: "heliograph connect claude --ask Bash")
    }

    /// Finding about the hooks in one place; nil if a project's settings contain nothing of ours, which is fine.
    private static func hooks(_ place: ConnectPlace, _ executable: String) -> Finding? {
        let path = ClaudeConnect.path(of: place)
        let again = "heliograph connect claude" + (place == .project ? " --project" : "")
        do throws(ConnectError) {
            let current = try SettingsFile(path: path).read()
            guard let current, ClaudeCommand.isNamed(in: current) else {
                return place == .project
                    ? nil : Finding("Hooks", .doubtful, "no session of yours is reported: \(path) has no hooks", mend: again)
            }
            func calls(_ program: String) throws(ConnectError) -> Bool {
                try ClaudeSettings.connect(current, executable: program, todoTools: false, inheritedStatusLine: nil).bytes
                    == current
            }
            if try calls(HookProgram.path(beside: executable)) {
                return Finding("Hooks", .well, "\(path) calls this program")
            }
            return try calls(executable)
                ? Finding("Hooks", .well, "\(path) calls this program; \(HookProgram.name) would start faster", mend: again)
                : Finding("Hooks", .doubtful, "\(path) calls another program than this one, or not for all", mend: again)
        } catch {
            return Finding("Hooks", .wrong, error.inFile(path).message, mend: "mend the file by hand")
        }
    }
}
