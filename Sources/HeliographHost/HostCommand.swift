internal import Glibc
package import HeliographHook
internal import HostCore
package import Logging
internal import RelayAccess
internal import RelayProtocol

/// The command `heliograph host`.
package enum HostCommand {
    /// Runs the daemon on this thread until SIGTERM or SIGINT.
    package static func run(_ configuration: HostConfiguration, logger: Logger) throws {
        try HostDaemon.run(configuration, agents: RegisteredAgents.all, logger: logger)
    }

    /// Redeems `RELAY/#host=CODE` and saves the result. Returns the name by which the relay knows this machine. `isToRun`: the
    /// daemon will run here afterwards. A link works once, so obstacles are looked for before.
    package static func join(
        link: String, name: String? = nil, certificateAuthorityFile: String? = nil, isToRun: Bool = false,
        paths: HostPaths = HostPaths()
    ) throws -> String {
        guard let link = PairingLink(link) else {
            throw HostError(.badConfiguration, "a pairing link looks like https://relay.example/#host=CODE")
        }
        guard link.role == .host else {
            throw HostError(.badInput, "this link is for a phone or a browser: ask the relay for one for a host")
        }
        guard !link.relay.isOpenToOthers else {
            throw HostError(.pairing, "\(link.relay) has no TLS: a token would go over the network for all to read")
        }
        let name = name ?? HostConfiguration.machineName()
        // A token is sent only to the relay that issued it. A file that cannot be read contains none.
        let known = try? HostConfiguration.load(paths)
        let previous = known?.relay == link.relay ? known?.token : nil
        let authorities: String?
        do { authorities = try certificateAuthorityFile.map(AuthorityFile.path) } catch {
            throw HostError(.file, error.message)
        }
        try check(paths, isToRun: isToRun)
        let request = PairingRequest(
            link: link, name: name, certificateAuthorityFile: authorities, previousToken: previous,
            ownToken: try PairingAttempt.token(for: link, paths))
        let grant: PairingRequest.Result
        do { grant = try request.perform() } catch { throw Self.error(of: error, link.relay) }
        var configuration = HostConfiguration(relay: link.relay, token: grant.token, paths: paths)
        configuration.name = name
        configuration.pairedBy = PairingAttempt.digest(of: link)
        configuration.certificateAuthorityFile = authorities
        configuration.consent = known?.consent ?? .ofNewHosts
        configuration.content = known?.content ?? .ofNewHosts
        try configuration.save(paths)
        try PairingAttempt.end(paths)
        return grant.name
    }

    /// Removes what was kept for a pairing that is done.
    package static func endPairing(_ paths: HostPaths = HostPaths()) throws { try PairingAttempt.end(paths) }

    /// True if this machine was never paired; with a file that cannot be read it was.
    package static func isNew(_ paths: HostPaths = HostPaths()) -> Bool {
        !Files.isThere(HostConfiguration.file(paths)) && !ConsentFiles(paths).hasEpochs
    }

    /// A sentence for the person at a machine that was just paired.
    package static func advice(_ configuration: HostConfiguration) -> String {
        guard configuration.consent == .signed else {
            return
                "Its agents do what the relay brings, and the relay can read what they say and do: only --consent signed can seal that."
        }
        let isShown = FirstTrust(configuration.paths).isShown
        let (rule, command) = ("Its agents do only what a device has signed that it trusts", "`heliograph host trust`")
        return isShown ? "\(rule): the one that opened the relay's link, and others after \(command)." : "\(rule): \(command)"
    }

    /// Bytes of a trial file, longer than what pairing writes.
    private static let probe = [UInt8](repeating: UInt8(ascii: " "), count: 4 << 10)

    /// Throws if something would prevent the token from being saved or the daemon from running, as far as that can be seen.
    private static func check(_ paths: HostPaths, isToRun: Bool) throws {
        // The state directory too, because a service that sees only this folder of the home cannot create it.
        for folder in [paths.configDirectory, paths.stateDirectory] {
            try Files.makePrivateDirectory(folder)
            let file = folder + "/pairing.check"
            try Files.replace(file, with: probe)
            try Files.remove(file)
        }
        guard isToRun else { return }
        try LocalSocket.check(paths.socket)
        _ = try FileSpoolDisk(paths.stateDirectory + "/spool")
        _ = try DirectoryLock(paths.stateDirectory)
    }

    private static func error(of fault: PairingError, _ relay: RelayAddress) -> HostError {
        guard case .noAnswer(let reason) = fault else { return HostError(.pairing, fault.message) }
        switch reason.code {
        case .untrusted:
            return HostError(
                .unreachable,
                "\(relay): \(reason.message). If it is yours: heliograph host --ca-file CERTIFICATE.pem LINK; it is remembered")
        case .unreachable, .timedOut, .proxy: return HostError(.unreachable, "cannot reach \(relay): \(reason.message)")
        case .badAnswer, .local: return HostError(.pairing, reason.message)
        }
    }
}
