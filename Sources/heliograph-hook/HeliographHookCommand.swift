import Glibc
import HeliographHook

/// `heliograph-hook`: what `connect` has agents call. Linked without a shared library, because most of what `heliograph hook` costs is the
/// loading of libraries that no hook needs.
@main
enum HeliographHookCommand {
    static func main() {
        // Whose home nobody names the user database knows, which needs libraries.
        if HostPaths.variable("HOME")?.utf8.first == UInt8(ascii: "/"), let status = AgentCall.run(CommandLine.arguments) {
            exit(status)
        }
        // The arguments are those that this program was started with, and live as long as it does.
        if let path = HookProgram.commandPath { unsafe execv(path, CommandLine.unsafeArgv) }
        // An agent could take any other status for an answer.
        exit(CommandLine.arguments.count > 1 && ["hook", "statusline"].contains(CommandLine.arguments[1]) ? 0 : 127)
    }
}
