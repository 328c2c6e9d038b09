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

    @OptionGroup var options: SetUpOptions

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
            let join = try RelayJoin.unfinished(at: address)
            // With an invitation the machine may be set up in part.
            if join?.invitation == nil { try checkThatItIsFree(for: address) }
            try accept(join?.invitation ?? register(join, at: address))
        }
    }

    private func register(_ unfinished: RelayJoin?, at address: RelayAddress) throws -> InvitationLink {
        var join = try unfinished ?? RelayJoin(beginningAt: address)
        do { return try register(&join) } catch PairingError.usedKey {
            join = try RelayJoin(beginningAt: address)
            return try register(&join)
        }
    }

    private func register(_ join: inout RelayJoin) throws -> InvitationLink {
        let codes: RegistrationRequest.Result
        do throws(PairingError) { codes = try RegistrationRequest(relay: join.relay, key: join.key).perform() } catch {
            let sentence = "\(join.relay): \(VisibleText.line(error.message))"
            switch error {
            case .usedKey: throw error
            case .noAnswer: throw CommandError(.noRelay, sentence)
            default: throw CommandError(.declined, sentence)
            }
        }
        if let terms = codes.terms { Output.remark(terms.sentence) }
        return try join.take(codes)
    }

    private func accept(_ invitation: InvitationLink) throws {
        try checkThatItIsIn(invitation)
        // Shown before there is a host, the secret is valid for as long as the code beside it.
        let deviceLink = invitation.deviceLink.map { $0 + HostSecret.part(for: .operator) }
        let words = ["--relay", invitation.machineLink] + options.words + (asRoot ? ["--as-root"] : [])
        do { try UpCommand.parse(words).run() } catch {
            // The next call continues from here.
            Output.remark("to go on: \(Executable.shown) join \(ShellWords.word(invitation.text))")
            throw error
        }
        guard let deviceLink else { return }
        print("\nOpen this on the phone that shall watch and decide (it works once):\n\n   \(deviceLink)\n")
        print(try PairingScreen.picture(of: deviceLink))
    }

    /// Else the device's link would lead to where this machine is not.
    private func checkThatItIsIn(_ invitation: InvitationLink) throws {
        guard let known = try? HostConfiguration.load(), known.relay == invitation.relay,
            let link = PairingLink(invitation.machineLink), !known.isPaired(by: link),
            case .known(let workspace) = PairedHost(known)
        else { return }
        throw CommandError.isIn(workspace, of: known.relay)
    }

    /// Makes the checks of `up` before a workspace is used up.
    private func checkThatItIsFree(for address: RelayAddress) throws {
        guard getuid() != 0 || asRoot else { throw CommandError.isRoot }
        guard !address.isOpenToOthers else {
            throw CommandError(.declined, "\(address) has no TLS: a token would go over the network for all to read.")
        }
        guard try BackgroundRecord.load()?.part(.relay) == nil else { throw CommandError.hasOwnRelay }
        if let known = try? HostConfiguration.load() {
            // A machine that its relay let go may come again.
            guard known.relay == address, case .revoked = PairedHost(known) else { throw CommandError.reports(to: known.relay) }
        }
        guard try BackgroundRecord.load()?.part(.host) != nil || BackgroundServices().hostStatus == nil else {
            throw CommandError.hostRuns
        }
    }
}

extension RegistrationAnswer.Terms {
    fileprivate var sentence: String {
        """
        the relay keeps up to \(megabytes) MB of events and \(sessions) sessions of your workspace, and each session for \(keepDays) days \
        after its last event.
        If neither machine nor phone connects for \(idleDays) days, it deletes the workspace, with its audit log.
        """
    }
}
