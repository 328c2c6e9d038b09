import ArgumentParser
import Foundation
import Glibc
import HeliographClient
import HeliographHook
import HeliographHost
import HeliographServer
import RelayProtocol

/// The command. Calls that an agent makes many times a second (`hook`, `statusline`) bypass the parser.
@main
struct Heliograph: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heliograph",
        abstract: "Watch your coding agents, and decide what they may do, from any page, phone or terminal.",
        discussion: """
            Set this machine up, with its agents and a first device:

              heliograph up

            Or step by step: start the relay, pair a phone, connect this machine's agents:

              heliograph serve
              heliograph pair
              heliograph connect
              heliograph host 'http://127.0.0.1:8787/#host=CODE'

            Exit codes: 0 done, 1 refused, 2 wrong usage, 3 not paired, 4 relay unreachable, 5 not found, 6 timed out, \
            7 failed here.
            """,
        version: "heliograph \(ServerConfiguration.version)",
        groupedSubcommands: [
            CommandGroup(
                name: "This machine",
                subcommands: [
                    UpCommand.self, JoinCommand.self, DownCommand.self, StatusCommand.self, LogsCommand.self,
                    SuperviseCommand.self,
                ]),
            CommandGroup(
                name: "Relay",
                subcommands: [
                    Serve.self, ConfigCommand.self, Pair.self, TokenCommand.self, WorkspaceCommand.self, PushCommand.self,
                    AuditCommand.self,
                    Backup.self, Restore.self, Migrate.self, ClusterCommand.self,
                    Clock.self, Doctor.self,
                ]),
            CommandGroup(
                name: "Host",
                subcommands: [
                    Host.self, Connect.self, Disconnect.self, RunCommand.self, ClaudeTerminalCommand.self, ShellCommand.self,
                    ACPCommand.self, MCPCommand.self, CostCommand.self, Emit.self, Ask.self,
                    Settle.self, RulesCommand.self,
                    SteeringCommand.self, SteeredCommand.self, Hook.self, StatusLine.self,
                ]),
            CommandGroup(
                name: "Client",
                subcommands: [
                    Sessions.self, Watch.self, ExportCommand.self, Approvals.self, PromptCommand.self, InterruptCommand.self,
                    ModeCommand.self,
                    ModelCommand.self, AskAllCommand.self, WithdrawCommand.self, StopCommand.self, StartCommand.self,
                    ResumeCommand.self, RemoveCommand.self,
                    ProjectsCommand.self, Devices.self, BudgetCommand.self, Login.self, TrustCommand.self,
                    Logout.self,
                ]),
            CommandGroup(name: "Testing", subcommands: [BenchCommand.self, APNsSimulatorCommand.self]),
        ])

    static func main() {
        let arguments = CommandLine.arguments
        if let status = AgentCall.run(arguments) { Glibc.exit(status) }
        // If a reader has left, `print` must fail with an error, not with a signal that ends us.
        _ = signal(SIGPIPE, SIG_IGN)
        do {
            var words = Array(arguments.dropFirst())
            // Other programs accept these words for their version, too.
            if [["version"], ["-v"], ["-V"]].contains(words) { words = ["--version"] }
            try Misspelling.checkHelp(words, in: Self.self)
            var command = try parseAsRoot(words)
            try command.run()
            try Output.finish()
        } catch {
            let code = exitCode(for: error)
            if let unknown = error as? Misspelling.UnknownCommand {
                Output.remark(unknown.description)
                Glibc.exit(2)
            }
            if code == .validationFailure, arguments.dropFirst().first == "serve",
                arguments.contains(where: { $0 == "--port" || $0.hasPrefix("--port=") })
            {
                Output.remark("there is no option --port: the port is a part of --listen, such as --listen 127.0.0.1:9000")
                Glibc.exit(2)
            }
            if code == .validationFailure,
                let (wrong, meant) = Misspelling.correction(of: Array(arguments.dropFirst()), in: Self.self)
            {
                Output.remark("there is no command '\(VisibleText.line(wrong))'. Did you mean '\(meant)'?")
                Glibc.exit(2)
            }
            let text = fullMessage(for: error)
            if code.isSuccess, !text.isEmpty {
                do { try Output.line(Array(text.utf8)) } catch {
                    // The reader of a pipe has left, which is success.
                    Glibc.exit(exitCode(for: error) == .success ? 0 : ClientExit.failed.rawValue)
                }
            } else if !text.isEmpty {
                Output.complain(text + "\n")
            }
            // A wrong command line has one exit code, whichever part of the program detects it.
            Glibc.exit(code == .validationFailure ? 2 : code.rawValue)
        }
    }
}
