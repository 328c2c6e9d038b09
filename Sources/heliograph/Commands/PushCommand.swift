import ArgumentParser
import Foundation
import HeliographClient
import HeliographServer
import RelayProtocol

/// `heliograph push`
struct PushCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Set up pushes to apps, and see whether those to apps and browsers arrive.",
        subcommands: [Setup.self, Status.self, Test.self, PushProfiles.self, PushPreview.self])

    struct Setup: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give the relay its key for Apple's push service.",
            discussion: """
                Run it on the relay's machine. The key is the .p8 file that you can download from Apple once, in the developer account under \
                Keys; it is copied into the data directory. A running relay uses it from its next push on.

                  heliograph push setup --team ABCDE12345 --key KEYID12345 \\
                    --file AuthKey_KEYID12345.p8 --bundle org.example.app
                """)

        @OptionGroup var data: DataOption

        @Option(help: "The team's id: ten capital letters and digits.")
        var team: String

        @Option(help: "The key's id: ten capital letters and digits.")
        var key: String

        @Option(help: "The key itself, AuthKey_….p8.")
        var file: String

        @Option(help: "The app's bundle id.")
        var bundle: String

        @Flag(help: "The key is for the sandbox only, for apps that come from Xcode.")
        var sandboxOnly = false

        func run() throws {
            try Failure.reporting {
                var setup = PushSetup(team: team, key: key, file: file, bundle: bundle)
                setup.isSandboxOnly = sandboxOnly
                let bundles = try setup.perform(in: data.path)
                print("Team \(team) sends to \(bundles.joined(separator: ", ")).")
                if let lack = try PushSetup.lack(of: bundle, in: data.path) {
                    print("Nothing is pushed there yet, as \(lack): \(PushSetup.mend(in: data.path)).")
                }
            }
        }
    }

    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Show the relay's connections to the push services of apps and browsers, and the results of the last pushes.",
            discussion: "Run it on the relay's machine.")

        @OptionGroup var data: DataOption

        @Flag(help: "Print JSON.")
        var json = false

        func run() throws {
            try Failure.reporting {
                guard let status = try PushStatus.read(in: data.path) else {
                    throw CommandError(.noRelay, "No relay runs on \(data.path): heliograph serve\(data.flag)")
                }
                if json { return print(JSONLine.text(status)) }
                for line in try PushStatus.lines(status) { print(VisibleText.line(line)) }
            }
        }
    }

    struct Test: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ring a device, and say whether its push service accepted it.",
            discussion: """
                  heliograph push test d1

                \(ClientExit.help)
                """)

        @OptionGroup var client: ClientCommandOptions

        @Argument(help: "The device's id, or the beginning of it; see `heliograph devices`.")
        var device: String

        func run() throws {
            try ClientCommandOptions.end(HeliographClient.ClientCommands.testPush(client.options, device: device))
        }
    }
}

/// `heliograph devices`
struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "List the devices that are registered for pushes, with their cards and last pushes; add a topic or a receiver, or forget one.",
        discussion: """
              heliograph devices
              heliograph devices add https://ntfy.sh/my-secret-topic
              heliograph devices add mail
              heliograph devices --json | jq '.devices[] | select(.trouble)'
              heliograph devices weekly d1 --day monday --at 09:00
              heliograph devices forget d1

            Without a subcommand it lists, and takes the options of `devices list`: --json, --relay and others.

            \(ClientExit.help)
            """,
        subcommands: [List.self, Add.self, Weekly.self, Forget.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List devices.")

        @OptionGroup var client: ClientCommandOptions

        func run() throws { try ClientCommandOptions.end(HeliographClient.ClientCommands.devices(client.options)) }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Push to a topic of an ntfy server, which an app shows on any phone, or to a receiver.",
            discussion: """
                Subscribe to the topic in the app, then paste its link here. Whoever knows a topic of a public server can read it: choose a
                name that nobody guesses, or a server that asks for tokens.

                  heliograph devices add https://ntfy.sh/heliograph-9f3kd72 --text full
                  heliograph devices add https://ntfy.example/agents --token tk_…

                A receiver is a program or webhook that the relay's operator has set up to get pushes, such as one that mails them: \
                heliograph serve --receivers.

                  heliograph devices add mail --name "Ada's mail"

                A host that seals, as heliograph up sets up, gives it no words, and Deny only: the page shows what is asked.

                A server in your own network, or without TLS, has to be named to the relay: heliograph serve --ntfy-servers.

                \(ClientExit.help)
                """)

        @OptionGroup var client: ClientCommandOptions

        @Argument(help: "The topic's link, such as https://ntfy.sh/topic, or the receiver's name.")
        var link: String

        @Option(help: "An access token of the server, if the topic needs one to publish.")
        var token: String?

        @Option(help: "What the device is called. Default: after its server or receiver.")
        var name: String?

        @Option(help: "Detail of its messages: full, summary or generic. The server or receiver can read them.")
        var text = "summary"

        @Option(help: "Language of the relay's own words: en or de. Default: en.")
        var language: String?

        @Flag(
            help: "Offer Allow where all is shown and the host wants no signature, to whoever can read it. Needs --text full.")
        var allow = false

        @Option(help: ArgumentHelp("The id of a device that this replaces, for example to change its token.", valueName: "id"))
        var replace: String?

        func validate() throws {
            if allow, text != "full" {
                throw ValidationError("--allow needs --text full: only what is shown whole can be allowed.")
            }
        }

        func run() throws {
            var wish = TopicOptions(link: link)
            (wish.token, wish.name, wish.text) = (token, name, text)
            (wish.language, wish.offersAllow, wish.replaced) = (language, allow, replace)
            try ClientCommandOptions.end(HeliographClient.ClientCommands.addDevice(client.options, wish))
        }
    }

    struct Weekly: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a device the cost of the last seven days, once a week and without a sound.",
            discussion: """
                  heliograph devices weekly d1 --day friday --at 17:00
                  heliograph devices weekly d1 --off

                The notification has the sum, what it was in the week before, and the project and model that cost most. Not even \
                the sum is in it if the device hides costs.

                \(ClientExit.help)
                """)

        @OptionGroup var client: ClientCommandOptions

        @Argument(help: "The device's id, or the beginning of it.")
        var device: String

        @Option(help: "The day of the week.")
        var day = "monday"

        @Option(help: "The time of that day.")
        var at = "09:00"

        @Option(help: ArgumentHelp("Where it is that time. Default: this machine's time zone.", valueName: "zone"))
        var timeZone: String?

        @Flag(help: "Tell it no more.")
        var off = false

        func run() throws {
            let zone = timeZone ?? TimeZone.current.identifier
            let wish = off ? nil : WeeklyOptions(day: day, at: at, timeZone: zone)
            try ClientCommandOptions.end(HeliographClient.ClientCommands.tellWeekly(client.options, device: device, wish))
        }
    }

    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a device's registration. Its app registers again when it is opened, unless it is logged out.")

        @OptionGroup var client: ClientCommandOptions

        @Argument(help: "The device's id, or the beginning of it.")
        var device: String

        func run() throws {
            try ClientCommandOptions.end(HeliographClient.ClientCommands.forgetDevice(client.options, device: device))
        }
    }
}
