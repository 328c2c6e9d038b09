import APNsSimulator
import APNsSimulatorServer
import ArgumentParser
import FoundationEssentials
import Glibc
import Logging
import RelayProtocol

/// `heliograph-apns-simulator`
@main
struct APNsSimulatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heliograph-apns-simulator",
        abstract: "Simulate Apple's push service, and the phones behind it, on this machine.",
        discussion: """
            Answers as APNs does, only stricter, and keeps a journal of each push, its answer, and what the phone made of \
            it. Prints one line of JSON with its addresses and the certificate to trust; then POST commands to `admin`.

              heliograph-apns-simulator --ca ca.pem --journal pushes.jsonl
              heliograph-apns-simulator --ca ca.pem --script faults.json --setup phone.json
              curl -d '{"do":"device","device":"phone"}' http://127.0.0.1:8091/

            A command is one JSON object; `do` names it:

              app                       register an app with Apple
              key, revokeKey            a provider's key
              device                    a phone
              install, uninstall        an app on it: one of our profiles, or any type
              behave, frequentUpdates   what the app and its person allow
              token, tokenState         a token without a phone, or one given up
              online, focus, foreground what the person does with the phone
              clear                     remove the phone's notifications
              startActivity, dismiss    a Live Activity, from within the app
              rotateToken               give it another token
              script                    faults
              device?, screen?, tokens? show what there is

            The page "The APNs simulator" of the documentation has all fields, and explains how to describe an app of any type.
            """)

    @Option(help: ArgumentHelp("Write the certificate that clients must trust here.", valueName: "file"))
    var ca: String

    @Option(help: ArgumentHelp("Answer as this server instead of making a certificate (PEM).", valueName: "file"))
    var tlsCertificate: String?

    @Option(help: ArgumentHelp("The key of --tls-certificate (PEM).", valueName: "file"))
    var tlsKey: String?

    @Option(help: "Address to listen on.")
    var address = "127.0.0.1"

    @Option(help: "Port of the sandbox; 0 takes a free one.")
    var sandboxPort: UInt16 = 0

    @Option(help: "Port of production.")
    var productionPort: UInt16 = 0

    @Option(help: "Port of the sandbox's channel management.")
    var sandboxManagementPort: UInt16 = 0

    @Option(help: "Port of production's channel management.")
    var productionManagementPort: UInt16 = 0

    @Option(help: ArgumentHelp("Port, or path of a socket, for commands (HTTP/1.1).", valueName: "port or path"))
    var admin = "0"

    @Option(help: ArgumentHelp("Faults to play, as JSON: {\"rules\": [...]}.", valueName: "file"))
    var script: String?

    @Option(help: ArgumentHelp("Commands to begin with, as JSON: {\"commands\": [...]}.", valueName: "file"))
    var setup: String?

    @Option(help: ArgumentHelp("Write the journal here, as JSON Lines.", valueName: "file"))
    var journal: String?

    @Option(help: "Streams of one connection, once it has authenticated.")
    var streams = 1000

    @Option(help: ArgumentHelp("Pushes to one token at once, with one more each second.", valueName: "count"))
    var tokenBurst: Int?

    @Option(help: ArgumentHelp("Close a connection that is quiet for this long.", valueName: "seconds"))
    var idleTimeout: Int64?

    @Flag(help: "Enforce one provider token in 20 minutes across connections, not only on each.")
    var oneTokenATeam = false

    @Option(help: "The seed of random identifiers.")
    var seed: UInt64 = 1

    func validate() throws {
        if (tlsCertificate == nil) != (tlsKey == nil) {
            throw ValidationError("--tls-certificate and --tls-key go together.")
        }
        if streams < 1 { throw ValidationError("--streams is at least 1.") }
    }

    func run() throws {
        // A peer that left is an error to notice, not a signal to die of.
        _ = signal(SIGPIPE, SIG_IGN)
        LoggingSystem.bootstrap {
            var handler = StreamLogHandler.standardError(label: $0)
            handler.logLevel = .notice
            return handler
        }
        try APNsSimulatorServer.run(try configuration(), logger: Logger(label: "heliograph.apns-simulator")) { addresses in
            let line = JSONWriter.object { line in
                line.field("sandbox", "\(address):\(addresses.sandbox)")
                line.field("production", "\(address):\(addresses.production)")
                line.field("sandboxManagement", "\(address):\(addresses.sandboxManagement)")
                line.field("productionManagement", "\(address):\(addresses.productionManagement)")
                line.field("admin", addresses.admin)
                line.field("ca", addresses.certificateFile)
            }
            print(JSONLine.text(line))
            fflush(nil)
        }
    }

    private func configuration() throws -> APNsSimulatorServerConfiguration {
        var configuration = APNsSimulatorServerConfiguration(certificateFile: ca)
        configuration.address = address
        configuration.sandboxPort = sandboxPort
        configuration.productionPort = productionPort
        configuration.sandboxManagementPort = sandboxManagementPort
        configuration.productionManagementPort = productionManagementPort
        if let port = UInt16(admin) { configuration.adminPort = port } else { configuration.adminPath = admin }
        if let tlsCertificate, let tlsKey { configuration.identity = (tlsCertificate, tlsKey) }
        configuration.journalFile = journal
        if let script { configuration.script = try FaultScript(parsing: bytes(of: script)) }
        configuration.setup = try setup.map(bytes(of:))
        configuration.simulator.streamLimit = streams
        configuration.simulator.tokenBurst = tokenBurst.map { ($0, 1000) }
        configuration.simulator.idleMillisecondsMax = idleTimeout.map { $0 * 1000 }
        configuration.simulator.tokenUpdateScope = oneTokenATeam ? .team : .connection
        configuration.simulator.seed = seed
        return configuration
    }

    private func bytes(of file: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: file))) }
}
