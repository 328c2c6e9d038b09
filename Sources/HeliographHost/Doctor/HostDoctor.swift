internal import Glibc
internal import HeliographPlatform
package import RelayAccess
internal import RelayProtocol

/// What may be wrong with this machine as a host.
package struct HostDoctor {
    /// Below this the spool may soon take no more events.
    static let freeBytesMin: UInt64 = 200 << 20
    /// What `--version` prints.
    static let versionBytesMax = 4 << 10
    /// The first version whose hooks hold a permission prompt open (facts of our tests).
    static let claudeMin = [2, 1, 0]

    private let paths: HostPaths
    private let executable: String

    package init(paths: HostPaths = HostPaths(), executable: String) {
        self.paths = paths
        self.executable = executable
    }

    /// Whether anything of a host is here.
    package var isHost: Bool {
        unsafe access(HostConfiguration.file(paths), F_OK) == 0 || ClaudeCommand.isNamed(in: ConnectCommand.path(of: .user))
    }

    /// Blocks for as long as the relay and the agent take to answer, half a minute at most.
    package func findings(now: Int64) -> [Finding] { [configuration(now)].flatMap { $0 } + [daemon, spool] + agents }

    private func configuration(_ now: Int64) -> [Finding] {
        do throws(HostError) {
            let configuration = try HostConfiguration.load(paths)
            return RelayCheck.findings(
                configuration.relay, token: configuration.token,
                certificateAuthorityFile: configuration.certificateAuthorityFile, now: now,
                how: "heliograph host LINK, with a new link from `heliograph pair --role host` or the page")
        } catch {
            return [Finding("Pairing", .wrong, error.message, mend: "heliograph host LINK, with a link from the relay")]
        }
    }

    private var daemon: Finding {
        guard let address = RelayAddress("unix:" + paths.socket) else {
            return Finding("Daemon", .wrong, "\(paths.socket) is no path of a socket", mend: "unset HELIOGRAPH_SOCKET")
        }
        do throws(HTTPError) {
            return Self.daemon(try HTTPExchange(relay: address, method: .get, path: "/v1/status").perform().body)
        } catch {
            return Finding("Daemon", .wrong, "it does not answer: nothing is reported", mend: "heliograph host")
        }
    }

    static func daemon(_ status: [UInt8]) -> Finding {
        do throws(WireError) {
            let value = try JSONDocument(parsing: status).root.object()
            let state = try value.required("link").string("state")
            let waiting = try value.required("spool").integer("events")
            let words = waiting == 0 ? "nothing waits" : "\(waiting) events wait to be sent"
            return state == "live"
                ? Finding("Daemon", .well, "it runs and is connected; \(words)")
                : Finding(
                    "Daemon", .doubtful, "it runs and is not connected (\(VisibleText.line(state))); \(words)",
                    mend: "see what is wrong with the relay above; it tries again by itself")
        } catch {
            return Finding("Daemon", .doubtful, "it runs, and is of another version than this program", mend: "start it anew")
        }
    }

    private var spool: Finding {
        guard let free = Disk.freeBytes(at: paths.stateDirectory) else {
            return Finding("Disk", .doubtful, "\(paths.stateDirectory) is not there yet", mend: "heliograph host makes it")
        }
        let text = "\(free >> 20) MiB are free for what the relay has not got yet"
        return free < Self.freeBytesMin
            ? Finding("Disk", .doubtful, text, mend: "make room on the disk of \(paths.stateDirectory)")
            : Finding("Disk", .well, text)
    }

    // MARK: - Agents

    private var agents: [Finding] {
        [claude] + ConnectCommand.Scope.allCases.compactMap(hooks) + [Self.questions(areAsked: ConnectCommand.asks())]
            + Self.codex(paths)
    }

    private var claude: Finding {
        do throws(HTTPError) {
            let said = try ChildProcess.run(["claude", "--version"], input: [], outputBytesMax: Self.versionBytesMax)
            let line = String(decoding: said.output, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
            return Self.claude(version: line)
        } catch {
            return Finding(
                "Claude Code", .doubtful, "it is not on this PATH", mend: "install it, or open the shell in which it runs")
        }
    }

    static func claude(version line: String) -> Finding {
        let version = line.prefix { $0.isNumber || $0 == "." }.split(separator: ".").compactMap { Int($0) }
        guard version.count >= 2 else {
            return Finding(
                "Claude Code", .doubtful, "it does not say its version: \(VisibleText.line(line))", mend: "claude update")
        }
        let isOld = version.lexicographicallyPrecedes(claudeMin)
        return Finding(
            "Claude Code", isOld ? .doubtful : .well, "version \(version.map(String.init).joined(separator: "."))",
            mend: isOld ? "claude update" : nil)
    }

    /// What a session is started with (`--permission-mode`) and what an administrator manages, nobody sees from here.
    static func questions(areAsked: Bool) -> Finding {
        areAsked
            ? Finding("Questions", .well, "Claude Code's settings have it ask")
            : Finding("Questions", .doubtful, ConnectCommand.autoMode, mend: "heliograph connect claude --ask Bash")
    }

    /// Nil: nothing of ours in a project's settings, where nothing need be.
    private func hooks(_ scope: ConnectCommand.Scope) -> Finding? {
        let path = ConnectCommand.path(of: scope)
        let again = "heliograph connect claude" + (scope == .project ? " --project" : "")
        do throws(ConnectError) {
            let current = try SettingsFile(path: path).read()
            guard let current, ClaudeCommand.isNamed(in: current) else {
                return scope == .project
                    ? nil : Finding("Hooks", .doubtful, "no session of yours is reported: \(path) has no hooks", mend: again)
            }
            let wanted = try ClaudeSettings.connect(
                current, executable: executable, todoTools: false, inheritedStatusLine: nil)
            return wanted.bytes == current
                ? Finding("Hooks", .well, "\(path) calls this program")
                : Finding("Hooks", .doubtful, "\(path) calls another program than this one, or not for all", mend: again)
        } catch {
            return Finding("Hooks", .wrong, error.inFile(path).message, mend: "mend the file by hand")
        }
    }
}

extension ClaudeCommand {
    /// Whether somebody connected: our command's words stand in the settings.
    static func isNamed(in settings: [UInt8]) -> Bool { String(decoding: settings, as: UTF8.self).contains("hook claude ") }

    static func isNamed(in path: String) -> Bool {
        guard let bytes = try? SettingsFile(path: path).read() else { return false }
        return isNamed(in: bytes)
    }
}
