import ArgumentParser
import HeliographHost
import RelayProtocol

/// `heliograph steering`
struct SteeringCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "steering",
        abstract: "Let people steer your own program: wait for one command from a client, and print it.",
        discussion: """
              while command=$(heliograph steering --session build-1); do
                heliograph steered --session build-1 "$command" taken
                ./work "$(printf %s "$command" | jq -r .text)"
              done

            The command is printed as JSON: {"type":"prompt","id","session","by":{"id","name"},"text"}; `interrupt` and `stop` have \
            no text. Report its outcome with `heliograph steered`, within 30 seconds.

            Exit codes: 0 a command was printed, 1 refused, 4 no host daemon runs, 6 none came in time, 7 the host's disk takes nothing.
            """)

    @Option(help: "The program's session.")
    var session: String

    @Option(
        name: .customLong("can"),
        help: ArgumentHelp("What can be done to it: prompt, interrupt or stop; once for each.", valueName: "action"))
    var actions: [String] = ["prompt"]

    @Option(help: ArgumentHelp("How long to wait. Default: as long as the program lives.", valueName: "seconds"))
    var wait: Int64?

    @Option(help: "The program's process: its sessions end with it. Default: what started this command.")
    var pid: Int32?

    func validate() throws {
        guard actions.allSatisfy(SteeringCall.actionNames.contains) else {
            throw ValidationError("--can is one of \(SteeringCall.actionNames.joined(separator: ", ")).")
        }
        guard wait.map({ (1...86_400).contains($0) }) ?? true else {
            throw ValidationError("--wait is between 1 and 86400 seconds.")
        }
    }

    func run() throws {
        var call = SteeringCall(session: session, actions: actions)
        call.waitSeconds = wait
        call.process = pid
        throw ExitCode(call.run().rawValue)
    }
}

/// `heliograph steered`
struct SteeredCommand: ParsableCommand {
    enum Stage: String, ExpressibleByArgument, CaseIterable {
        case given, taken, refused, unknown

        var meant: SteeringStage {
            switch self {
            case .given: .given
            case .taken: .taken
            case .refused: .refused
            case .unknown: .unknown
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "steered",
        abstract: "Report the outcome of a command that `steering` printed.",
        discussion: """
              heliograph steered --session build-1 "$command" refused --reason "not today"

            Exit codes: 0 done, 1 refused, 4 no host daemon runs.
            """)

    @Option(help: "The program's session.")
    var session: String

    @Argument(help: ArgumentHelp("As it was printed.", valueName: "command"))
    var command: String

    @Argument(help: "It will be done, it was done, it will not be done, or nobody knows.")
    var stage: Stage

    @Option(help: "Why, in a line.")
    var reason: String?

    @Option(help: "The program's process. Default: what started this command.")
    var pid: Int32?

    func run() throws {
        throw ExitCode(
            SteeredCall.run(session: session, command: command, stage: stage.meant, reason: reason, process: pid).rawValue)
    }
}
