import HeliographCrypto
import Foundation
import HeliographPlatform
package import RelayAccess
import RelayCore
import RelayProtocol

/// Problems of the relay on this machine.
package struct RelayDoctor {
    private let settings: Result<EffectiveSettings, ServerError>
    private let path: String
    /// Further arguments of a command for this relay: none, or ` --data FOLDER`.
    private let flag: String

    /// Free bytes: below the first value the disk is nearly full, below the second the operator should know.
    static let freeBytesMin: UInt64 = 100 << 20
    static let freeBytesLow: UInt64 = 1 << 30
    /// Free inodes; the relay creates a handful of files with each start.
    static let freeFilesMin: UInt64 = 32
    /// Days before a certificate's end: automatic renewal happens long before.
    static let certificateDaysLow = 14

    private let asksApple: Bool

    /// `asksApple`: sends a push to Apple for each key and app, to a device that does not exist.
    package init(
        dataDirectory: String, flag: String, settings: Result<EffectiveSettings, ServerError>, asksApple: Bool = false
    ) {
        self.asksApple = asksApple
        path = dataDirectory
        self.flag = flag
        self.settings = settings
    }

    package var isRelay: Bool { Administration.isSetUp(in: path) }

    /// The obstacle that keeps this process's user from examining the relay; nil if there is none.
    package static func forbidden(in path: String) -> Finding? {
        do throws(ServerError) { try Administration.checkAccess(to: path) } catch {
            return Finding("Data folder", .wrong, error.description, mend: "run this as the relay's user")
        }
        return nil
    }

    /// All findings. Changes nothing. Blocks as long as the relay and Apple take to answer, a minute and a half at most.
    package func findings() -> [Finding] {
        let (running, clock, own) = running
        // A running relay's own settings are used; the file may have been changed since.
        let configuration = own ?? (try? settings.get().configuration)
        let stored = (database ?? [data]) + databaseFindings
        return [settingsFinding(of: own)] + stored + [disk] + waitingRevocations + [running]
            + clock
            + (own.map { WorkspacesDoctor.findings(in: path, $0) } ?? [])
            + (configuration.map { exposure($0) + certificate($0) + publicAddress($0) } ?? [])
            + PushDoctor(path: path, flag: flag, asksApple: asksApple).findings()
            + (configuration.map { WebPushDoctor(path: path, flag: flag, configuration: $0).findings() } ?? [])
            + (configuration.map { ReceiverDoctor(path: path, flag: flag, configuration: $0).findings() } ?? [])
    }

    /// The path of a phone's request, up to the first obstacle. `ways`: commands that set the relay's address. Blocks for a minute
    /// at most.
    package func phoneFindings(ways: [String]) -> [Finding] {
        let (running, _, own) = running
        guard running.state != .wrong else { return [running] }
        guard let configuration = own ?? (try? settings.get().configuration) else { return [settingsFinding(of: own)] }
        return PhoneDoctor(configuration: configuration, ways: ways, folder: path).findings()
    }

    private func settingsFinding(of running: ServerConfiguration?) -> Finding {
        switch settings {
        case .failure(let error):
            let when = running == nil ? "" : "the next start fails: "
            return Finding("Settings", .wrong, when + error.description, mend: "heliograph config keys")
        case .success(let here):
            let sources = (running ?? here.configuration).sources
            let given = Settings.all.compactMap { setting in sources[setting.key].map { "\(setting.key) (\($0))" } }
            guard !given.isEmpty else { return Finding("Settings", .well, "all at their defaults") }
            let whose = running == nil ? "of the next start" : "of the running relay"
            return Finding("Settings", .well, "\(whose): \(given.joined(separator: ", "))")
        }
    }

    private var data: Finding {
        do throws(Storage.ExaminationError) {
            let found = try Storage(directory: path).examine(flag: flag)
            let pages = found.isChecked ? "every page of it is in order" : "it is too long for a check of every page here"
            if found.isOlder {
                return Finding("Data file", .well, "\(pages); the next start of the relay brings it up to date")
            }
            return found.damagedRecords.isEmpty
                ? Finding("Data file", .well, "\(pages), and every session opens")
                : Finding(
                    "Data file", .doubtful,
                    "\(found.damagedRecords.count) records are damaged, such as: \(Self.name(found.damagedRecords[0])); the relay goes on without them",
                    mend: "keep a copy (heliograph backup FILE\(flag)) and tell us")
        } catch {
            return Finding("Data file", .wrong, error.message, mend: error.mend)
        }
    }

    /// Findings about the database; nil if the data is in a file.
    private var database: [Finding]? {
        do {
            guard let address = try StoreAddressFile.read(in: path) else { return nil }
            do {
                let store = try OpenStore(forCommandsIn: path)
                defer { try? store.close() }
                let count = try store.credentials.workspaces().count
                return [Finding("Database", .well, "\(address) answers: \(count) workspaces")]
                    + removedWorkspaces(try store.workspaces.workspacesToClear().count)
            } catch {
                return [
                    Finding("Database", .wrong, "\(address): \(error)", mend: "check the database, and the connection to it")
                ]
            }
        } catch {
            return [Finding("Database", .wrong, "\(error)", mend: "heliograph serve\(flag) --store …, which writes it again")]
        }
    }

    private func removedWorkspaces(_ count: Int) -> [Finding] {
        guard count > 0 else { return [] }
        return [
            Finding(
                "Removed workspaces", .doubtful, "the data of \(count) is not deleted yet",
                mend: "look again in a minute; if it stays, the relay's log says what is in the way")
        ]
    }

    /// Findings about the database's configuration; empty if the data is in a file.
    private var databaseFindings: [Finding] {
        do {
            guard let found = try Storage(directory: path).databaseState()?.state else { return [] }
            let authority = (try? settings.get().configuration)?.advertiseAuthority
            let nodes = NodesDoctor(found.nodes, certificateAuthorityFile: authority).findings()
            return nodes
                + found.facts.map { fact in
                    let state: Finding.State =
                        switch fact.kind {
                        case .well: .well
                        case .doubtful: .doubtful
                        case .wrong: .wrong
                        }
                    return Finding(fact.subject, state, fact.text, mend: fact.mend)
                }
        } catch {
            return [
                Finding("Database state", .wrong, "it does not report its state: \(error)", mend: "look at the database's log")
            ]
        }
    }

    private static func name(_ record: DamagedRecord) -> String {
        record.session.isEmpty ? record.what : "\(record.what), in session \(record.session)"
    }

    private var disk: Finding {
        guard let free = Disk.freeBytes(at: path) else {
            return Finding("Disk", .wrong, "\(path) cannot be seen", mend: "run this as the relay's user")
        }
        if let files = Disk.freeFiles(at: path), files < Self.freeFilesMin {
            return Finding("Disk", .wrong, "only \(files) more files can be created there", mend: "remove some: df -i \(path)")
        }
        let text = "\(free >> 20) MiB are free"
        let state: Finding.State = free < Self.freeBytesMin ? .wrong : free < Self.freeBytesLow ? .doubtful : .well
        return Finding("Disk", state, text, mend: state == .well ? nil : "make room, or keep less: --keep-megabytes")
    }

    /// Findings about waiting revocations; empty if there are none.
    private var waitingRevocations: [Finding] {
        do {
            let count = try Storage(directory: path).waitingRevocations
            guard count > 0 else { return [] }
            return [
                Finding(
                    "Revocations", .doubtful, "\(count) hold, and wait for room on the disk until they are in the data file",
                    mend: "make room; nothing else is to be done")
            ]
        } catch {
            // If there is no data, another finding says so.
            return OpenStore.isAbsent(error)
                ? []
                : [Finding("Revocations", .wrong, "waiting revocations cannot be read: \(error)", mend: "do what that says")]
        }
    }

    /// The finding about the running relay, and its settings if it runs and is of this version.
    private var running: (Finding, clock: [Finding], ServerConfiguration?) {
        guard let folder = try? Storage(directory: path).folder,
            let answer = try? AdminSocket(in: folder).ask(.get, AdminPath.report)
        else {
            guard Storage.isInUse(path) else {
                return (Finding("Relay", .wrong, "does not run", mend: "heliograph serve\(flag)"), [], nil)
            }
            let socket = AdminSocket(in: path).path
            return (
                Finding(
                    "Relay", .wrong, "runs, but cannot be asked: its socket \(socket) is gone or does not answer",
                    mend: "look again in some seconds; else restart it: until then it does not hear of tokens that are revoked"),
                [], nil
            )
        }
        guard let relay = read(answer) else {
            return (
                Finding(
                    "Relay", .doubtful, "runs, and answers with \(answer.status): it is of another version than this program",
                    mend: "restart it, or use the program that it was started with"), [], nil
            )
        }
        let clock = relay.clockAheadSeconds.map { clockFinding(aheadSeconds: $0) } ?? []
        guard relay.unwrittenRevocations == 0 else {
            let finding = Finding(
                "Relay", .wrong,
                "\(relay.words), and no disk has \(relay.unwrittenRevocations) revocations that hold as long as it runs",
                mend: "make room on its disk, or mend it, and do not restart it before: it goes on trying by itself")
            return (finding, clock, relay.configuration)
        }
        guard relay.isReady else {
            let finding =
                relay.takesWrites && relay.workspaces != nil
                ? Finding(
                    "Relay", .wrong,
                    "\(relay.words), and serves nobody: it reaches no relay that owns a workspace, or not the database",
                    mend: "look at the findings on nodes, and at its log")
                : Finding(
                    "Relay", .wrong, "\(relay.words), and takes no writes", mend: "look at its log, and at the disk")
            return (finding, clock, relay.configuration)
        }
        return (Finding("Relay", .well, "\(relay.words), ready"), clock, relay.configuration)
    }

    private func read(_ answer: HTTPExchange.Answer) -> RunningRelay? {
        answer.status == 200 ? try? RunningRelay(parsing: answer.body, dataDirectory: path) : nil
    }

    private func clockFinding(aheadSeconds: Int64) -> [Finding] {
        let words = ClockState.words(aheadSeconds: aheadSeconds)
        return [
            Finding(
                "Clock", .doubtful, "\(words): no history is removed by it",
                mend: "set it if it is wrong (date -u); if it is right: heliograph clock --confirm\(flag)")
        ]
    }

    private func exposure(_ configuration: ServerConfiguration) -> [Finding] {
        guard !Loopback.contains(configuration.host), configuration.tls == nil else { return [] }
        return [
            Finding(
                "Exposure", .doubtful, "it listens on \(configuration.host) without TLS: tokens travel in the clear",
                mend: "--tls-certificate and --tls-key, or listen on 127.0.0.1 behind a proxy")
        ]
    }

    private func certificate(_ configuration: ServerConfiguration) -> [Finding] {
        guard let certificate = configuration.tlsCertificate, let key = configuration.tlsKey else { return [] }
        do throws(CryptoError) {
            _ = try TLSContext(serverProtocols: ["http/1.1"], certificateFile: certificate, privateKeyFile: key)
            let days = try CertificateFile.daysLeft(certificate)
            let text = days < 0 ? "it is out of date since \(-days) days" : "it holds for \(days) days"
            let state: Finding.State = days < 0 ? .wrong : days < Self.certificateDaysLow ? .doubtful : .well
            return [
                Finding("Certificate", state, text, mend: state == .well ? nil : "renew it; the relay notices by itself")
            ]
        } catch {
            return [Finding("Certificate", .wrong, error.message, mend: "name a certificate and its own key")]
        }
    }

    /// Calls the public address. The request has no token: a relay answers 401.
    private func publicAddress(_ configuration: ServerConfiguration) -> [Finding] {
        guard let url = configuration.publicURL else { return [] }
        guard let relay = RelayAddress(url) else {
            return [Finding("Public address", .wrong, "\(url) is no address", mend: "--public-url https://relay.example")]
        }
        do throws(HTTPError) {
            let answer = try HTTPExchange(relay: relay, method: .get, path: ProtocolVersion.mePath).perform()
            return answer.status == 401
                ? [Finding("Public address", .well, "\(url) leads to a relay")]
                : [
                    Finding(
                        "Public address", .wrong, "\(url) answers with \(answer.status), which no relay does",
                        mend: "look at the proxy: it must forward every path, and WebSockets")
                ]
        } catch {
            return [
                Finding(
                    "Public address", .doubtful, "\(url) cannot be reached from here: \(error.message)",
                    mend: "look at DNS and the proxy; some networks cannot reach themselves from inside")
            ]
        }
    }
}
