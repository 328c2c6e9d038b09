internal import Glibc
internal import HeliographPlatform
internal import HostCore
internal import RelayProtocol

/// Makes Codex start the server that its terminal shares, by `codex app-server daemon start`, which finds a running one and never
/// starts a second.
///
/// The server is Codex's own from then on. It belongs to no terminal, outlives this daemon, and ends by `codex app-server daemon
/// stop`. It has this daemon's environment, as one started from a terminal has that terminal's.
enum CodexServer {
    /// The program, looked up on the PATH.
    static let program = "codex"
    /// Time for the server's first start, which copies the program, some 300 MB.
    private static let within = Duration.seconds(60)
    /// Bytes kept of its output, from the beginning.
    private static let wordsBytesMax = 16 << 10

    /// Starts the server. Returns nil if it runs, else the reason why not. Blocks until that is known.
    static func start(home: String) -> String? {
        guard let codex = InstalledProgram.path(of: program) else { return "codex is not on the PATH of this host's daemon" }
        let child: AgentChild
        do {
            child = try AgentChild(
                [codex, "app-server", "daemon", "start"], isApart: true, environment: ["CODEX_HOME=\(home)"],
                errors: .withOutput)
        } catch { return "\(error)" }
        close(child.input)
        let said = words(of: child)
        if said == nil { kill(child.process, SIGKILL) }
        close(child.output)
        let end = child.waitForEnd()
        guard let said else { return "`codex app-server daemon start` has not ended in time" }
        return end.exit == 0
            ? nil : "Codex starts no server that is shared: \(complaint(in: said) ?? end.reason ?? "it says nothing")"
    }

    /// The output of the child; nil if it has not closed its output in time.
    private static func words(of child: AgentChild) -> [UInt8]? {
        let until = HostInstant.now.monotonic + within.milliseconds
        var kept: [UInt8] = []
        while true {
            var entry = pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
            let left = until - HostInstant.now.monotonic
            guard left > 0 else { return nil }
            guard unsafe poll(&entry, 1, Int32(clamping: left)) > 0 else { continue }
            guard let bytes = PipeRead.bytes(from: child.output, max: wordsBytesMax) else { continue }
            if bytes.isEmpty { return kept }
            // Reading goes on past the kept bytes, so that the program never blocks on its output.
            kept += bytes.prefix(wordsBytesMax - kept.count)
        }
    }

    /// The line that gives the reason; warnings come before it, and advice after it.
    static func complaint(in said: [UInt8]) -> String? {
        let lines = String(decoding: said, as: UTF8.self).split(whereSeparator: \.isNewline)
        let error = lines.first { $0.hasPrefix("Error: ") }.map { $0.dropFirst("Error: ".count) }
        return (error ?? lines.last).map { VisibleText.line(String($0)) }
    }
}
