import Crypto
import Foundation
import Platform
package import RelayAccess
import RelayProtocol
import RelayStore

/// What may be wrong with the relay on this machine.
package struct RelayDoctor {
    private let settings: Result<EffectiveSettings, SettingsError>
    private let path: String

    /// Below the first the disk is all but full; below the second somebody should know.
    static let freeBytesMin: UInt64 = 100 << 20
    static let freeBytesLow: UInt64 = 1 << 30
    /// A certificate that renews itself is renewed long before.
    static let certificateDaysLow = 14

    package init(dataDirectory: String, settings: Result<EffectiveSettings, SettingsError>) {
        path = dataDirectory
        self.settings = settings
    }

    /// Whether a relay ever ran here.
    package var isRelay: Bool { FileManager.default.fileExists(atPath: "\(path)/heliograph.sqlite") }

    /// Changes nothing. Blocks for as long as the relay takes to answer, a minute at most.
    package func findings() -> [Finding] {
        let configuration = try? settings.get().configuration
        return [settingsFinding, data, disk, running]
            + (configuration.map { exposure($0) + certificate($0) + publicAddress($0) } ?? []) + pushes
    }

    private var settingsFinding: Finding {
        switch settings {
        case .failure(let error): Finding("Settings", .wrong, error.description, mend: "heliograph config keys")
        case .success(let settings):
            Finding(
                "Settings", .well, "none is wrong; set are \(Self.list(settings.entries.filter { $0.source != .standard }))")
        }
    }

    private static func list(_ entries: [EffectiveSettings.Entry]) -> String {
        entries.isEmpty ? "none" : entries.map(\.setting.key).joined(separator: ", ")
    }

    private var data: Finding {
        do throws(StoreError) {
            let found = try SQLiteStore.examine(DataDirectory(existing: path))
            let pages = found.isChecked ? "every page of it is in order" : "it is too long for a check of every page here"
            if found.isOlder {
                return Finding("Data file", .well, "\(pages); the next start of the relay brings it up to date")
            }
            return found.damagedRecords.isEmpty
                ? Finding("Data file", .well, "\(pages), and every session opens")
                : Finding(
                    "Data file", .doubtful,
                    "\(found.damagedRecords.count) records are damaged, such as: \(Self.name(found.damagedRecords[0])); the relay goes on without them",
                    mend: "keep a copy (heliograph backup FILE) and tell us")
        } catch {
            return Finding("Data file", .wrong, error.message, mend: Self.mend(error.code))
        }
    }

    private static func name(_ record: DamagedRecord) -> String {
        record.session.isEmpty ? record.what : "\(record.what), in session \(record.session)"
    }

    private static func mend(_ code: StoreError.Code) -> String {
        switch code {
        case .corrupt: "heliograph restore FILE, from a backup; the damaged file is kept beside it"
        case .newerSchema: "install the version that wrote it, or a newer one"
        case .full: "make room on the disk"
        case .busy, .conflict: "look again in a moment"
        case .cannotOpen, .readOnly: "run this as the relay's user, and let nobody else into its folder"
        case .damaged: "keep a copy (heliograph backup FILE) and tell us"
        case .io: "look at the disk: dmesg, smartctl"
        }
    }

    private var disk: Finding {
        guard let free = Disk.freeBytes(at: path) else {
            return Finding("Disk", .wrong, "\(path) cannot be seen", mend: "run this as the relay's user")
        }
        let text = "\(free >> 20) MiB are free"
        let state: Finding.State = free < Self.freeBytesMin ? .wrong : free < Self.freeBytesLow ? .doubtful : .well
        return Finding("Disk", state, text, mend: state == .well ? nil : "make room, or keep less: --keep-megabytes")
    }

    private var running: Finding {
        guard let relay = RelayAddress("unix:\(path)/relay.sock"),
            let answer = try? HTTPExchange(relay: relay, method: .get, path: "/metrics").perform(), answer.status == 200
        else { return Finding("Relay", .wrong, "it does not run", mend: "heliograph serve") }
        return Finding("Relay", .well, "it runs")
    }

    private func exposure(_ configuration: ServerConfiguration) -> [Finding] {
        let isLocal = configuration.host.hasPrefix("127.") || configuration.host == "::1" || configuration.host == "localhost"
        guard !isLocal, configuration.tls == nil else { return [] }
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
                Finding("Certificate", state, text, mend: state == .well ? nil : "renew it; the relay takes it up by itself")
            ]
        } catch {
            return [Finding("Certificate", .wrong, error.message, mend: "name a certificate and its own key")]
        }
    }

    /// Nobody is there with a token: 401 is what a relay says.
    private func publicAddress(_ configuration: ServerConfiguration) -> [Finding] {
        guard let url = configuration.publicURL else { return [] }
        guard let relay = RelayAddress(url) else {
            return [Finding("Public address", .wrong, "\(url) is no address", mend: "--public-url https://relay.example")]
        }
        do throws(HTTPFault) {
            let answer = try HTTPExchange(relay: relay, method: .get, path: "/v1/me").perform()
            return answer.status == 401
                ? [Finding("Public address", .well, "\(url) leads to a relay")]
                : [
                    Finding(
                        "Public address", .wrong, "\(url) answers with \(answer.status), which no relay does",
                        mend: "look at the proxy: it must hand on every path, and WebSockets")
                ]
        } catch {
            return [
                Finding(
                    "Public address", .doubtful, "\(url) cannot be reached from here: \(error.message)",
                    mend: "look at DNS and the proxy; some networks cannot reach themselves from inside")
            ]
        }
    }

    // MARK: - Pushes

    private var pushes: [Finding] {
        let file = "\(path)/\(PushConfigurationFile.name)"
        guard FileManager.default.fileExists(atPath: file) else { return [] }
        do throws(PushConfigurationFile.Fault) { _ = try PushConfigurationFile.read(file) } catch {
            return [Finding("Pushes", .wrong, error.description, mend: "heliograph push setup")]
        }
        guard let status = try? PushStatus.read(in: path), let trouble = try? PushStatus.troubles(status) else { return [] }
        return trouble.isEmpty
            ? [Finding("Pushes", .well, "Apple takes them, as far as the relay has tried")]
            : trouble.map { Finding("Pushes", .wrong, $0, mend: "heliograph push status") }
    }
}
