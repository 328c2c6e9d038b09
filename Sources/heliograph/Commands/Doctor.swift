import ArgumentParser
import Foundation
import HeliographClient
import HeliographHost
import HeliographServer
import RelayAccess
import RelayProtocol

/// `heliograph doctor`
struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Look for what is wrong with this machine's relay or host, and say how to fix it.",
        discussion: """
            Checks whichever of the two is set up here. Changes nothing.

            Takes every flag of `serve`, too, for a relay that does not run; a running one reports its own settings.

              heliograph doctor
              heliograph doctor --data /var/lib/heliograph
              heliograph doctor --ask-apple   also ask Apple; no phone notices
              heliograph doctor --phone       go a phone's way, up to the first obstacle

            The exit code is 1 if something is wrong; doubts do not count.
            """)

    @OptionGroup var place: ServePlace
    @OptionGroup(visibility: .hidden) var options: ServeOptions

    @Flag(help: "Ask Apple whether it accepts the keys in push.json, by a push to a device that does not exist.")
    var askApple = false

    @Flag(help: "Follow a phone's request to the relay, as far as this machine can see it, and name the first obstacle.")
    var phone = false

    @Flag(help: "Print JSON: an object for each finding with part, subject, state, text and mend.")
    var json = false

    func run() throws {
        let settings = Result { () throws(ServerError) in try options.effective(at: place) }
        let relay = RelayDoctor(
            dataDirectory: place.data.path, flag: place.data.flag, settings: settings, asksApple: askApple)
        let host = AgentCommands.doctor(executable: Executable.path)
        var parts: [(name: String, findings: [Finding])] = []
        if phone {
            guard relay.isRelay else {
                throw ValidationError("--phone is for the relay's machine; no relay is set up in \(place.data.path).")
            }
            let ways = PhoneWays(address: try? Administration(directory: place.data.path).localAddress, folder: place.data.path)
            try show([("Phone", relay.phoneFindings(ways: ways.sentences))])
            return
        }
        if let finding = RelayDoctor.forbidden(in: place.data.path) {
            parts.append(("Relay, \(place.data.path)", [finding]))
        } else if place.data.given != nil, !relay.isRelay {
            let mend = "heliograph serve\(place.data.flag), or name the folder that the relay has"
            parts.append(("Relay, \(place.data.path)", [Finding("Data", .wrong, "no relay is set up there", mend: mend)]))
        } else if relay.isRelay {
            parts.append(("Relay, \(place.data.path)", relay.findings()))
        }
        if host.isHost {
            parts.append(("Host", host.findings(now: Int64(Date().timeIntervalSince1970 * 1_000))))
        }
        guard !parts.isEmpty else {
            print("Neither a relay nor a host is set up here: `heliograph serve`, or `heliograph host LINK`.")
            throw ExitCode(1)
        }
        try show(parts)
    }

    private func show(_ parts: [(name: String, findings: [Finding])]) throws {
        for part in parts { json ? printJSON(part.name, part.findings) : printText(part.name, part.findings) }
        if parts.contains(where: { $0.findings.contains { $0.state == .wrong } }) { throw ExitCode(1) }
    }

    private func printJSON(_ part: String, _ findings: [Finding]) {
        for finding in findings {
            Output.json { writer in
                writer.field("part", part)
                writer.field("subject", finding.subject)
                writer.field("state", finding.state.rawValue)
                writer.field("text", finding.text)
                writer.field("mend", finding.mend)
            }
        }
    }

    private func printText(_ part: String, _ findings: [Finding]) {
        let palette = Palette(isTerminal: isatty(STDOUT_FILENO) == 1, environment: .process)
        print(palette.paint(part, .bold))
        for finding in findings {
            let (mark, style): (String, Style) =
                switch finding.state {
                case .well: ("✔", .green)
                case .doubtful: ("!", .yellow)
                case .wrong: ("✘", .red)
                }
            print("  \(palette.paint(mark, style)) \(finding.subject): \(VisibleText.line(finding.text))")
            if let mend = finding.mend { print("      \(palette.paint("→ \(VisibleText.line(mend))", .dim))") }
        }
    }
}
