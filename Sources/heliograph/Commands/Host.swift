import ArgumentParser
import HeliographHost
import HeliographServer
import Logging
import RelayAccess
import RelayProtocol

/// `heliograph host`
struct Host: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run this machine's daemon, which reports to the relay what the agents here do.",
        discussion: """
            The first time it needs a link, from `heliograph pair --role host` or from the page; afterwards it knows the relay.

              heliograph host 'http://127.0.0.1:8787/#host=CODE'
              heliograph host
              heliograph host trust
              heliograph host projects add DIR

            Without a subcommand it runs the daemon, and takes the options of `host run`: --name, --no-steering and others.
            """,
        subcommands: [HostRun.self, HostTrust.self, HostDevices.self, HostDistrust.self, HostPasskey.self, HostProjects.self],
        defaultSubcommand: HostRun.self)
}

/// `heliograph host run`
struct HostRun: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Run the daemon; with a link, pair it first.")

    @Argument(help: "A pairing link for a host.")
    var link: String?

    @Option(help: "The name that people see for this machine. Default: its own name.")
    var name: String?

    @Option(help: ArgumentHelp("Trust these authorities too, PEM.", valueName: "file"))
    var caFile: String?

    @Flag(help: "With a link: pair only, do not run.")
    var pairOnly = false

    @Flag(help: "Take no prompts, interrupts or changes of mode from clients; they can still answer approvals.")
    var noSteering = false

    @Option(
        help: ArgumentHelp(
            "Let only this client steer the sessions here: its id, as `heliograph token list` shows it. May be repeated.",
            valueName: "client"))
    var steeringFrom: [String] = []

    @Option(
        help: ArgumentHelp(
            "signed: only what a device that this host trusts has signed reaches the agents here (heliograph host trust); open: what the relay brings. Remembered. Default: signed for a machine that is new.",
            valueName: "signed|open"))
    var consent: String?

    @Option(
        help: ArgumentHelp(
            "sealed: only the devices that this host trusts read what its agents say and do, which needs --consent signed; open: whoever has the relay's data. Remembered. Default: sealed for a machine that is new, unless its consent is open.",
            valueName: "sealed|open"))
    var content: String?

    @Option(help: "What to log: trace, debug, info, notice, warning, error or critical. JSON lines on standard error.")
    var logLevel = "notice"

    func validate() throws {
        if Logger.Level(rawValue: logLevel) == nil { throw ValidationError("--log-level \(logLevel) is not a level.") }
        if noSteering && !steeringFrom.isEmpty { throw ValidationError("--no-steering leaves nobody for --steering-from.") }
        for client in steeringFrom where ClientID(client) == nil {
            throw ValidationError(
                "--steering-from \(client) is not a client's id: `heliograph token list` on the relay shows them.")
        }
        if let consent, !HostConfiguration.consentWords.contains(consent) {
            throw ValidationError("--consent is signed or open.")
        }
        if let content, !HostConfiguration.contentWords.contains(content) {
            throw ValidationError("--content is sealed or open.")
        }
        // The options are checked before a link is used.
        if consent == "open", content == "sealed" {
            throw ValidationError("sealed content needs signed consent: --content sealed goes with --consent signed.")
        }
        if pairOnly && link == nil { throw ValidationError("--pair-only needs a link.") }
    }

    func run() throws {
        let level = Logger.Level(rawValue: logLevel) ?? .notice
        LoggingSystem.bootstrap { JSONLogHandler(label: $0, level: level) }
        try Failure.reporting {
            let isNew = HostCommand.isNew()
            if let link {
                let paired = try HostCommand.join(
                    link: link, name: name, certificateAuthorityFile: caFile, isToRun: !pairOnly)
                print("This machine is paired as \(VisibleText.line(paired)).")
            }
            var configuration = try HostConfiguration.load()
            try configuration.keep(consent: consent, content: content, isNew: isNew)
            if link != nil { print(HostCommand.advice(configuration)) }
            if pairOnly { return }
            configuration.software = ServerConfiguration.software
            configuration.steer(
                by: noSteering ? [] : steeringFrom.isEmpty ? nil : Set(steeringFrom.compactMap { ClientID($0) }))
            print("Reporting to \(configuration.relay). Agents connect by `\(Executable.path) connect`. Ctrl-C ends it.")
            try HostCommand.run(configuration, logger: Logger(label: "heliograph.host"))
        }
    }
}
