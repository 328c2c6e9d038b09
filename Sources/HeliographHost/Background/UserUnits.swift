internal import Glibc
internal import HeliographHook
internal import RelayAccess

/// The parts as services of the user's own systemd.
struct UserUnits {
    private let folder: String
    /// The environment of the terminal in which `up` was called, as far as our programs use it.
    private let environment: [String]

    /// Variables that a service needs: the host's agents are found in PATH, and its files in the other folders.
    private static let variables =
        [
            "PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "HELIOGRAPH_DATA", "HELIOGRAPH_SOCKET",
            "CLAUDE_CONFIG_DIR", "CODEX_HOME",
        ] + ProxySettings.names
    private static let outputBytesMax = 64 << 10
    /// Seconds for a service's start: a relay may have to convert a long history before it reports that it runs.
    private static let secondsMax: Int64 = 300

    init(_ paths: HostPaths, environment: (String) -> String? = HostPaths.variable) {
        let config = environment("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? paths.home + "/.config"
        folder = config + "/systemd/user"
        self.environment = Self.variables.compactMap { name in
            environment(name).map { "Environment=\(Self.word("\(name)=\($0)", isCommand: false))" }
        }
    }

    /// True if the user has a manager that answers.
    static var areAvailable: Bool { (try? systemctl("show-environment"))?.exitCode == 0 }

    static func unit(_ name: BackgroundPart.Name) -> String { "heliograph-\(name.rawValue).service" }

    private func path(_ name: BackgroundPart.Name) -> String { "\(folder)/\(Self.unit(name))" }

    func text(_ part: BackgroundPart, executable: String, build: String) -> String {
        let command = ([executable] + part.arguments).map { Self.word($0, isCommand: true) }.joined(separator: " ")
        return """
            # Written by `heliograph up` for build \(build); `heliograph down` removes it.
            [Unit]
            Description=Heliograph \(part.name.rawValue)
            Documentation=man:heliograph(1)
            StartLimitIntervalSec=0

            [Service]
            Type=notify
            WatchdogSec=30
            TimeoutStartSec=\(Self.secondsMax)
            ExecStart=\(command)
            \(environment.joined(separator: "\n"))
            TimeoutStopSec=30
            Restart=always
            RestartSec=5
            UMask=0077

            [Install]
            WantedBy=default.target

            """
    }

    /// Starts a part; it runs when this returns. One that runs already, from the same unit text, goes on.
    func start(_ part: BackgroundPart, executable: String, build: String) throws(HostError) {
        let path = path(part.name)
        let wanted = Array(text(part, executable: executable, build: build).utf8)
        let isNew = try Files.read(path, bytesMax: 64 << 10) != wanted
        if isNew {
            guard (try? ChildProcess.run(["mkdir", "-p", folder], input: [], outputBytesMax: 0))?.exitCode == 0 else {
                throw .file("make", folder)
            }
            try Files.replace(path, with: wanted)
            try run("daemon-reload")
        }
        try run("enable", Self.unit(part.name))
        let since = time(nil)
        do throws(HostError) { try run(isNew ? "restart" : "start", Self.unit(part.name)) } catch {
            guard let words = Self.lastWords(of: part.name, since: since) else { throw error }
            throw HostError(.system, words)
        }
    }

    func remove(_ name: BackgroundPart.Name) throws(HostError) {
        guard Files.isThere(path(name)) else { return }
        try run("disable", "--now", Self.unit(name))
        try Files.remove(path(name))
        try run("daemon-reload")
        _ = try? Self.systemctl("reset-failed", Self.unit(name))
    }

    // MARK: - systemd

    /// The error with which a service has ended since then, in seconds since 1970; nil if its journal has none.
    private static func lastWords(of part: BackgroundPart.Name, since: Int) -> String? {
        let mark = "heliograph: "
        let result = try? ChildProcess.run(
            ["journalctl", "--user", "-u", unit(part), "--since", "@\(since)", "-n", "50", "-o", "cat", "--no-pager"],
            input: [], outputBytesMax: outputBytesMax)
        let lines = result.map { String(decoding: $0.output, as: UTF8.self).split(separator: "\n") } ?? []
        return lines.last { $0.hasPrefix(mark) }.map { "the \(part.rawValue): \($0.dropFirst(mark.count))" }
    }

    private func run(_ arguments: String...) throws(HostError) {
        let words = "systemctl --user \(arguments.joined(separator: " "))"
        let result: ChildProcess.Result
        do throws(HTTPError) { result = try Self.systemctl(arguments) } catch {
            throw HostError(.system, "\(words): \(error.message)")
        }
        guard result.exitCode == 0 else {
            let reason = String(decoding: result.errors, as: UTF8.self).split(separator: "\n").first ?? "it failed"
            throw HostError(.system, "\(words): \(reason)")
        }
    }

    private static func systemctl(_ arguments: String...) throws(HTTPError) -> ChildProcess.Result {
        try systemctl(arguments)
    }

    private static func systemctl(_ arguments: [String]) throws(HTTPError) -> ChildProcess.Result {
        try ChildProcess.run(
            ["systemctl", "--user"] + arguments, input: [], outputBytesMax: outputBytesMax, seconds: secondsMax)
    }

    /// Quotes a text as one word of a unit file, whatever it contains.
    static func word(_ text: String, isCommand: Bool) -> String {
        var word = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": word += "\\\""
            case "\\": word += "\\\\"
            case "%": word += "%%"
            case "$": word += isCommand ? "$$" : "$"
            case "\n": word += "\\n"
            default: word.unicodeScalars.append(scalar)
            }
        }
        return word + "\""
    }

    // MARK: - Without a login

    private static var userName: String { "\(getuid())" }

    /// True if the user's services run without a login; nil if that is not known.
    static var lingers: Bool? {
        guard
            let result = try? ChildProcess.run(
                ["loginctl", "show-user", userName, "--property=Linger", "--value"], input: [], outputBytesMax: outputBytesMax),
            result.exitCode == 0
        else { return nil }
        return String(decoding: result.output, as: UTF8.self).hasPrefix("yes")
    }

    static func setLinger(_ isOn: Bool) -> Bool {
        (try? ChildProcess.run(
            ["loginctl", isOn ? "enable-linger" : "disable-linger", userName], input: [], outputBytesMax: outputBytesMax))?
            .exitCode
            == 0
    }
}
