import ArgumentParser
import FoundationEssentials
import Glibc
import HeliographBench
import RelayAccess
import RelayProtocol
import Synchronization
import WebSocketEngine

/// `heliograph-bench`
@main
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heliograph-bench",
        abstract: "Measure a relay: how fast, how late, how much processor and memory.",
        discussion: """
            Without options it starts its own relay, with the `heliograph` that lies beside it, in a temporary folder. Every subscriber checks that it gets each event once \
            and in order; otherwise the run fails. It leaves its sessions behind in a relay that it did not start.

              heliograph-bench fanout --clients 1000               64 events at a time
              heliograph-bench fanout --clients 1000 --rate 50     50 a second
              heliograph-bench approval
              heliograph-bench ingest --hosts 100 --window 16384
              heliograph-bench idle --clients 5000
              heliograph-bench storm --clients 5000
              heliograph-bench resume --clients 5000 --history 200
              heliograph-bench fanout --data DIR                   a running relay
              heliograph-bench approval --relay URL --client-relay URL
              heliograph-bench takeover --relay URL --owner PID --clients 5000

            With `--client-relay` the hosts are at one node and the clients at another. `takeover` kills the node with that process id, \
            and waits until all clients are back at another.

            Exit codes: 0 done, 1 the run failed (an event was missing, repeated or never came in time; the relay refused), 2 wrong \
            usage, 4 the relay cannot be reached.
            """)

    @Argument(help: "fanout, approval, ingest, idle, storm, resume or takeover.")
    var scenario: BenchPlan.Scenario

    @Option(help: "Hosts, each with a connection.")
    var hosts: Int?

    @Option(help: "Sessions, assigned to the hosts in turn. Default: one for each host.")
    var sessions: Int?

    @Option(help: "Clients, assigned to the sessions in turn.")
    var clients: Int?

    @Option(
        help: ArgumentHelp(
            "Events a second, over all sessions, whatever comes back. Default: as the window allows.", valueName: "events/s"
        ))
    var rate: Int?

    @Option(
        help: ArgumentHelp(
            "Events in flight: from each session to its slowest subscriber; with `ingest`, from all hosts to the disk.",
            valueName: "events"))
    var window: Int?

    @Option(help: ArgumentHelp("Events in one message of a host.", valueName: "events"))
    var batch = 1

    @Option(help: ArgumentHelp("Size of an event.", valueName: "bytes"))
    var size = 300

    @Flag(help: "Events whose content is sealed.")
    var sealed = false

    @Option(help: ArgumentHelp("How long to measure.", valueName: "seconds"))
    var duration = 5.0

    @Option(help: ArgumentHelp("How long to run before that.", valueName: "seconds"))
    var warmUp = 1.0

    @Option(
        help:
            "durable: events that are on disk before anybody sees them. live: pieces of unfinished messages, which need --rate."
    )
    var durability = BenchPlan.Durability.durable

    @Option(help: ArgumentHelp("Events that a session has before clients come (storm, resume).", valueName: "events"))
    var history = 20

    @Option(help: ArgumentHelp("How many of them a client that comes back has missed (resume).", valueName: "events"))
    var missed = 20

    @Option(
        name: .customLong("data"),
        help: ArgumentHelp("Measure the relay that runs on this data directory.", valueName: "folder"))
    var dataDirectory: String?

    @Option(
        help: ArgumentHelp(
            """
            Measure the relay there, as who holds the tokens of $HELIOGRAPH_CLIENT_TOKEN and $HELIOGRAPH_HOST_TOKENS. Given several \
            times, peers are dealt out to the nodes in turn.
            """,
            valueName: "url"))
    var relay: [String] = []

    @Option(help: ArgumentHelp("Where clients connect, if not where hosts do; may be repeated.", valueName: "url"))
    var clientRelay: [String] = []

    @Option(help: ArgumentHelp("The process of the node that is killed (takeover); --relay names others.", valueName: "id"))
    var owner: Int32?

    @Flag(help: "Stop it (SIGSTOP) for good instead of killing it (takeover).")
    var stopOwner = false

    @Option(
        help: ArgumentHelp(
            "The token of all clients. Others on this machine can read it here, so prefer $HELIOGRAPH_CLIENT_TOKEN.",
            valueName: "token"))
    var clientToken: String?

    @Option(
        help: ArgumentHelp(
            "A host's token, once for each host. Likewise prefer $HELIOGRAPH_HOST_TOKENS, separated by blanks.",
            valueName: "token"))
    var hostToken: [String] = []

    @Option(help: ArgumentHelp("Trust these authorities too, PEM. Default: $HELIOGRAPH_CA_FILE.", valueName: "file"))
    var caFile: String?

    @Option(help: ArgumentHelp("The relay's process on this machine, to measure what it uses.", valueName: "id"))
    var pid: Int32?

    @Option(help: ArgumentHelp("What the other side speaks: heliograph, plain, nats or mqtt.", visibility: .hidden))
    var speaks = Dialect.heliograph

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    func validate() throws {
        if !relay.isEmpty, dataDirectory != nil { throw ValidationError("--relay and --data both name the relay: give one.") }
        if !clientRelay.isEmpty, relay.isEmpty { throw ValidationError("--client-relay goes with --relay.") }
        if (scenario == .takeover) != (owner != nil) { throw ValidationError("takeover and --owner go together.") }
        do throws(BenchError) { try plan.check() } catch { throw ValidationError(error.message) }
    }

    private var plan: BenchPlan {
        var plan = BenchPlan(scenario)
        plan.hosts = hosts ?? 1
        plan.sessions = sessions ?? plan.hosts
        plan.clients = clients ?? (scenario == .approval ? plan.sessions : plan.clients)
        plan.rate = rate
        plan.window = window ?? (scenario == .ingest ? 16_384 : 64)
        plan.batch = batch
        plan.size = size
        plan.isSealed = sealed
        plan.duration = .seconds(duration)
        plan.warmUp = .seconds(warmUp)
        plan.durability = durability
        plan.history = history
        plan.missed = min(missed, history)
        (plan.owner, plan.isOwnerStopped) = (owner, stopOwner)
        return plan
    }

    static func main() {
        // `print` and a reader that left: an error to notice, not a signal to die of.
        _ = signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            try command.run()
            guard fflush(nil) == 0 || errno == EPIPE else {
                complain("heliograph-bench: the output cannot be written\n")
                Glibc.exit(1)
            }
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            complain(fullMessage(for: error) + "\n")
            Glibc.exit(2)
        }
    }

    private static func complain(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    func run() throws {
        do throws(BenchError) {
            let result = try measured()
            if json {
                print(JSONLine.text(JSONWriter.object { result.write(to: &$0) }))
            } else {
                result.table.forEach { print($0) }
            }
        } catch {
            Self.complain("heliograph-bench: \(error.code.rawValue): \(error)\n")
            throw ExitCode(error.code == .unreachable ? 4 : error.code == .plan ? 2 : 1)
        }
    }

    private func measured() throws(BenchError) -> BenchResult {
        if !relay.isEmpty { return try Bench.run(plan, on: given()) }
        let cleanup: Cleanup
        do { cleanup = try Cleanup() } catch { throw BenchError(.system, "\(error)") }
        defer { cleanup.run() }
        let program = try RelayProgram(path: Self.relayProgram)
        if let dataDirectory {
            guard let address = Self.address(in: dataDirectory) else {
                throw BenchError(.unreachable, "no relay has run on \(dataDirectory)")
            }
            let tokens = RunTokens(program, data: dataDirectory)
            cleanup.add { tokens.revoke() }
            var target = try tokens.target(address, hosts: plan.hosts, process: pid)
            target.certificateAuthorityFile = authorities
            return try Bench.run(plan, on: target)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "heliograph-bench-\(getpid())").path
        cleanup.add { try? FileManager.default.removeItem(atPath: folder) }
        let own = try OwnRelay(program, data: folder)
        cleanup.child.withLock { $0 = own.process }
        defer {
            cleanup.child.withLock { $0 = 0 }
            own.stop()
        }
        // Its tokens are removed with its folder.
        let target = try RunTokens(program, data: folder).target(own.address, hosts: plan.hosts, process: own.process)
        return try Bench.run(plan, on: target) { () throws(BenchError) in
            try own.killAndStart()
            cleanup.child.withLock { $0 = own.process }
            var again = target
            (again.relays, again.clientRelays) = ([own.address], [own.address])
            again.process = own.process
            return again
        }
    }

    /// `heliograph` beside this program.
    private static var relayProgram: String {
        let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/heliograph"
    }

    /// Address on this machine of the relay that ran last on a data directory: the second line of its file, or the only one of an older relay's.
    private static func address(in data: String) -> RelayAddress? {
        guard let file = FileManager.default.contents(atPath: data + "/relay.url") else { return nil }
        return String(decoding: file, as: UTF8.self).split(separator: "\n").prefix(2).last.flatMap { RelayAddress(String($0)) }
    }

    private static func variable(_ name: String) -> String? {
        guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else { return nil }
        return value
    }

    private var authorities: String? { caFile ?? Self.variable("HELIOGRAPH_CA_FILE") }

    private func addresses(_ urls: [String]) throws(BenchError) -> [RelayAddress] {
        var found: [RelayAddress] = []
        for url in urls {
            guard let address = RelayAddress(url) else { throw BenchError(.plan, "\(url) is no address of a relay") }
            found.append(address)
        }
        return found
    }

    private func given() throws(BenchError) -> BenchTarget {
        let relays = try addresses(relay)
        guard let clientToken = clientToken ?? Self.variable("HELIOGRAPH_CLIENT_TOKEN") else {
            throw BenchError(
                .plan, "--relay needs $HELIOGRAPH_CLIENT_TOKEN, and $HELIOGRAPH_HOST_TOKENS with one for each host")
        }
        let named = Self.variable("HELIOGRAPH_HOST_TOKENS")?.split(separator: " ").map(String.init) ?? []
        var target = BenchTarget(
            relays: relays, clientRelays: clientRelay.isEmpty ? nil : try addresses(clientRelay),
            hostTokens: hostToken.isEmpty ? named : hostToken, clientToken: clientToken, process: pid)
        target.dialect = speaks
        target.certificateAuthorityFile = authorities
        return target
    }
}

extension BenchPlan.Scenario: ExpressibleByArgument {}
extension BenchPlan.Durability: ExpressibleByArgument {}
extension Dialect: ExpressibleByArgument {}
