import ArgumentParser
import Glibc
import HeliographHook
import HeliographHost
import RelayAccess
import RelayProtocol

/// `heliograph join`
struct JoinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Use somebody's relay: set this machine up as its host, and show what to scan.",
        discussion: """
            RELAY is the invitation that its operator sent you, or the address of a relay that takes everybody and gives you a workspace \
            of your own. This machine is then set up as by `heliograph up`: it says what it would change in your agents' settings and asks \
            once, and the host runs in the background.

              heliograph join https://relay.example
              heliograph join 'https://relay.example/#join=CODES'
              heliograph status
              heliograph down                     takes it all back
            """)

    @Argument(help: "An invitation, or the address of a relay.")
    var relay: String

    @Option(help: ArgumentHelp("The name that people see for this machine. Default: its own name.", valueName: "name"))
    var name: String?

    @Flag(name: .shortAndLong, help: "Change the agents' settings without asking.")
    var yes = false

    @Flag(help: "Do not use systemd, even if there is one.")
    var supervised = false

    @Flag(help: "Set up root's own host.")
    var asRoot = false

    func validate() throws {
        guard relay.contains("#") ? InvitationLink(relay) != nil : RelayAddress(relay) != nil else {
            throw ValidationError(
                "RELAY is an address such as https://relay.example, or an invitation, https://relay.example/#join=CODES.")
        }
    }

    func run() throws {
        try Failure.reporting {
            if let invitation = InvitationLink(relay) { return try accept(invitation) }
            guard let address = RelayAddress(relay) else { preconditionFailure("the arguments were checked") }
            try checkThatItIsFree(for: address)
            let codes: RegistrationRequest.Result
            do throws(PairingError) { codes = try RegistrationRequest(relay: address).perform() } catch {
                if case .noAnswer = error { throw CommandError(.noRelay, "\(address): \(error.message)") }
                throw CommandError(.declined, "\(address): \(error.message)")
            }
            try accept(InvitationLink(relay: address, codes))
        }
    }

    private func accept(_ invitation: InvitationLink) throws {
        // Shown before there is a host, the secret is valid for as long as the code beside it.
        let deviceLink = invitation.deviceLink.map { $0 + HostSecret.part(for: .operator) }
        var words = ["--relay", invitation.machineLink]
        if let name { words += ["--name", name] }
        let flags = [(yes, "--yes"), (supervised, "--supervised"), (asRoot, "--as-root")]
        for (isGiven, flag) in flags where isGiven { words.append(flag) }
        do { try UpCommand.parse(words).run() } catch {
            // The next call goes on from here.
            Output.remark("to go on: \(Executable.shown) join '\(invitation.text)'")
            throw error
        }
        guard let deviceLink else { return }
        print("\nOpen this on the phone that shall watch and decide (it works once):\n\n   \(deviceLink)\n")
        print(try PairingScreen.picture(of: deviceLink))
    }

    /// Makes the checks of `up` before it costs a workspace.
    private func checkThatItIsFree(for address: RelayAddress) throws {
        guard getuid() != 0 || asRoot else { throw CommandError.isRoot }
        guard !address.isOpenToOthers else {
            throw CommandError(.declined, "\(address) has no TLS: a token would go over the network for all to read.")
        }
        guard try BackgroundRecord.load()?.part(.relay) == nil else { throw CommandError.hasOwnRelay }
        if let known = try? HostConfiguration.load().relay { throw CommandError.reports(to: known) }
        guard BackgroundServices().hostStatus == nil else { throw CommandError.hostRuns }
    }
}
