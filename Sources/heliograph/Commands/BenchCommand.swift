import ArgumentParser
import Foundation
import Glibc
import HeliographBench
import HeliographServer
import RelayAccess
import RelayCore
import RelayProtocol
import Synchronization

/// `heliograph bench`
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure a relay: how fast, how late, how much processor and memory.",
        discussion: """
            Without options it starts its own relay in a temporary folder. Every subscriber checks that it gets each event once \
            and in order; otherwise the run fails. It leaves its sessions behind in a relay that it did not start.

              heliograph bench fanout --clients 1000               64 events at a time
              heliograph bench fanout --clients 1000 --rate 50     50 a second
              heliograph bench approval
              heliograph bench ingest --hosts 100 --window 16384
              heliograph bench idle --clients 5000
              heliograph bench storm --clients 5000
              heliograph bench resume --clients 5000 --history 200
              heliograph bench fanout --data DIR                   a running relay
              heliograph bench approval --relay URL --client-relay URL
              heliograph bench takeover --relay URL --owner PID --clients 5000

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
        plan.duration = .seconds(duration)
        plan.warmUp = .seconds(warmUp)
        plan.durability = durability
        plan.history = history
        plan.missed = min(missed, history)
        (plan.owner, plan.isOwnerStopped) = (owner, stopOwner)
        return plan
    }

    func run() throws {
        do throws(BenchError) {
            let result = try measured()
            if json { Output.json { result.write(to: &$0) } } else { result.table.forEach { print($0) } }
        } catch {
            Output.remark("\(error.code.rawValue): \(error)")
            throw ExitCode(error.code == .unreachable ? 4 : error.code == .plan ? 2 : 1)
        }
    }

    private func measured() throws(BenchError) -> BenchResult {
        if !relay.isEmpty { return try Bench.run(plan, on: given()) }
        let cleanup: Cleanup
        do { cleanup = try Cleanup() } catch { throw BenchError(.system, "\(error)") }
        defer { cleanup.run() }
        if let dataDirectory {
            return try withTokens(in: dataDirectory, cleanup) { (target) throws(BenchError) in
                var target = target
                target.certificateAuthorityFile = authorities
                return try Bench.run(plan, on: target)
            }
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("heliograph-bench-\(getpid())").path
        cleanup.add { try? FileManager.default.removeItem(atPath: folder) }
        let own = try OwnRelay(executable: Executable.path, data: folder)
        cleanup.child.withLock { $0 = own.process }
        defer {
            cleanup.child.withLock { $0 = 0 }
            own.stop()
        }
        return try withTokens(in: folder, cleanup, process: own.process) { (target) throws(BenchError) in
            try Bench.run(plan, on: target) { () throws(BenchError) in
                try own.killAndStart()
                cleanup.child.withLock { $0 = own.process }
                var again = target
                (again.relays, again.clientRelays) = ([own.address], [own.address])
                again.process = own.process
                return again
            }
        }
    }

    private var authorities: String? { caFile ?? Environment.value("HELIOGRAPH_CA_FILE") }

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
        guard let clientToken = clientToken ?? Environment.value("HELIOGRAPH_CLIENT_TOKEN") else {
            throw BenchError(
                .plan, "--relay needs $HELIOGRAPH_CLIENT_TOKEN, and $HELIOGRAPH_HOST_TOKENS with one for each host")
        }
        let named = Environment.value("HELIOGRAPH_HOST_TOKENS")?.split(separator: " ").map(String.init) ?? []
        var target = BenchTarget(
            relays: relays, clientRelays: clientRelay.isEmpty ? nil : try addresses(clientRelay),
            hostTokens: hostToken.isEmpty ? named : hostToken, clientToken: clientToken, process: pid)
        target.dialect = speaks
        target.certificateAuthorityFile = authorities
        return target
    }

    private final class TokenIDs: Sendable {
        let made = Mutex<[String]>([])
    }

    /// Makes tokens for the run, and takes them back.
    private func withTokens(
        in directory: String, _ cleanup: Cleanup, process: Int32? = nil, _ body: (BenchTarget) throws(BenchError) -> BenchResult
    ) throws(BenchError) -> BenchResult {
        let administration: Administration
        var made: [(id: String, secret: String)] = []
        let ids = TokenIDs()
        cleanup.add {
            guard let administration = try? Administration(directory: directory) else { return }
            for id in ids.made.withLock({ $0 }) { _ = try? administration.revoke(id, keepingChildren: false) }
            _ = try? administration.tokensChanged()
        }
        do {
            administration = try Administration(directory: directory)
            for number in 0...plan.hosts {
                let name = number == 0 ? "bench" : "bench host \(number)"
                let new = try administration.credentials.makeToken(number == 0 ? .client : .host, name: name)
                made.append((new.token.id, new.secret))
                ids.made.withLock { $0.append(new.token.id) }
            }
            try administration.tokensChanged()
        } catch { throw BenchError(.system, "\(directory): \(error)") }
        guard let address = administration.localAddress else {
            throw BenchError(.unreachable, "no relay has run on \(directory)")
        }
        return try body(
            BenchTarget(
                relays: [address], hostTokens: made.dropFirst().map(\.secret), clientToken: made[0].secret,
                process: process ?? pid
            ))
    }
}

extension BenchPlan.Scenario: ExpressibleByArgument {}
extension BenchPlan.Durability: ExpressibleByArgument {}
extension Dialect: ExpressibleByArgument {}
