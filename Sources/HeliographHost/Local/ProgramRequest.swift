internal import Glibc
internal import HeliographHook
internal import RelayProtocol

/// One request of a user's program to the daemon; `emit`, `ask`, `settle`, `steering` and `steered` make it for a script.
struct ProgramRequest {
    /// The script's process, with which its sessions end: the one that started us, unless another is given.
    var process: Int32
    var socketPath = HostPaths().socket

    /// Longer than a hook waits for a busy daemon: no tool call waits for this.
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

/// Exit status of a program's command, with the same numbers as all commands here.
package enum ProgramExit: Int32, Sendable {
    case done = 0
    case refused = 1
    case unreachable = 4
    case timedOut = 6
    case failed = 7
}
