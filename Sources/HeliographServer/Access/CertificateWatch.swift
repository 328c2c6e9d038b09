import HeliographCrypto
import Logging
import HeliographPlatform
import WebSocketEngine

/// Replaces the certificate when its files change, as by certbot, without closing connections.
final class CertificateWatch {
    private let tls: ListenerConfiguration.TLS
    private let loops: EventLoopGroup
    private let logger: Logger
    private var stamps: [FileStamp?]
    private let measures: Measures
    /// Interval of the checks: long enough for a person to write certificate and key one after the other.
    static let interval = Duration.seconds(10)

    init(_ tls: ListenerConfiguration.TLS, loops: EventLoopGroup, measures: Measures, logger: Logger) {
        self.tls = tls
        self.loops = loops
        self.measures = measures
        self.logger = logger
        stamps = Self.stamps(of: tls)
        measure()
    }

    func start() {
        _ = loops.main.schedule(after: Self.interval) { [weak self] in
            self?.look()
            self?.start()
        }
    }

    /// Checks the files. Two that do not belong together are not used, which is logged once for each state of them.
    func look() {
        let stamps = Self.stamps(of: tls)
        guard stamps != self.stamps else { return }
        self.stamps = stamps
        do throws(CryptoError) {
            _ = try TLSContext(
                serverProtocols: ["http/1.1"], certificateFile: tls.certificateFile, privateKeyFile: tls.privateKeyFile)
            loops.renewCertificate(tls)
            measure()
            logger.notice("new connections get the new certificate", metadata: ["file": "\(tls.certificateFile)"])
        } catch {
            logger.error(
                "the certificate changed to one that cannot be used; the old one stays in use",
                metadata: ["error": "\(error)"])
        }
    }

    /// Measures the end of the certificate in use. A file that cannot be read at the start is an error of the listener.
    private func measure() {
        if let end = try? CertificateFile.end(tls.certificateFile) { measures.certificateEnds(at: end) }
    }

    private static func stamps(of tls: ListenerConfiguration.TLS) -> [FileStamp?] {
        [FileStamp(of: tls.certificateFile), FileStamp(of: tls.privateKeyFile)]
    }
}
