internal import Glibc
internal import HeliographHook
internal import RelayProtocol

/// One request of a program that is not ours to the daemon: `emit`, `ask`, `settle`, `steering` and `steered` make it for a script.
struct ProgramRequest {
    /// The script, whose sessions end with it: what started us, unless it names another process.
    var process: Int32
    var socketPath = HostPaths().socket

    /// A daemon that is busy is waited for longer than a hook may wait: nobody's tool call waits for this.
    private static let budget = Duration.seconds(5)
    private static let transferMax = Duration.seconds(30)

    func exchange(_ what: String, _ body: [UInt8]) -> HookExchange {
        let parent = getppid()
        return HookExchange(
            agent: what, body, caller: HookCaller(process: "\(process)"), socketPath: socketPath, budget: Self.budget,
            transferMax: Self.transferMax, isAgentAlive: { getppid() == parent })
    }

    static let complaint = "heliograph: "

    static func complain(_ sentence: String) {
        HookStream.write(Array("\(complaint)\(VisibleText.line(sentence))\n".utf8), to: STDERR_FILENO)
    }

    /// The daemon's reason for refusing a request.
    static func sentence(_ status: Int, _ body: [UInt8]) -> String {
        guard let root = try? JSONDocument(parsing: body).root, let message = (try? root.optionalString("message")) ?? nil,
            let path = (try? root.optionalString("path")) ?? nil
        else { return "the daemon refused it with \(status)" }
        return "\(path): \(message)"
    }
}

/// Exit status of a program's command; the same numbers as everywhere in this program.
package enum ProgramExit: Int32, Sendable {
    case done = 0
    case refused = 1
    case unreachable = 4
    case timedOut = 6
    case failed = 7
}
