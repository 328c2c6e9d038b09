import Crypto
import Logging
import Platform
import WebSocketEngine

/// Takes another certificate when its files change, without a connection lost: what certbot and its like write at night.
final class CertificateWatch {
    private let tls: ListenerConfiguration.TLS
    private let loops: EventLoopGroup
    private let logger: Logger
    private var stamps: [FileStamp?]
    /// Of the key that is served. Nil: it could not be read when the relay began, so libwebsockets has said what is wrong.
    private let keyKind: Int32?
    /// Whoever writes certificate and key one after the other is done by the next look.
    static let interval = Duration.seconds(10)

    init(_ tls: ListenerConfiguration.TLS, loops: EventLoopGroup, logger: Logger) {
        self.tls = tls
        self.loops = loops
        self.logger = logger
        stamps = Self.stamps(of: tls)
        keyKind = (try? Self.context(of: tls))?.keyKind
    }

    func start() {
        _ = loops.main.schedule(after: Self.interval) { [weak self] in
            self?.look()
            self?.start()
        }
    }

    /// Two files that do not belong together are left alone, and told of once for each state of them.
    func look() {
        let stamps = Self.stamps(of: tls)
        guard stamps != self.stamps else { return }
        self.stamps = stamps
        do throws(CryptoError) {
            guard try Self.context(of: tls).keyKind == keyKind else {
                // Beside the old certificate OpenSSL would keep the new one, and show the old one to most.
                logger.error(
                    "the new certificate's key is of another kind than the old one's (RSA, EC): restart the relay to serve it",
                    metadata: ["file": "\(tls.certificateFile)"])
                return
            }
            loops.renewCertificate(tls)
            logger.notice("new connections get the new certificate", metadata: ["file": "\(tls.certificateFile)"])
        } catch {
            logger.error(
                "the certificate changed to one that cannot be used; the old one stays in use",
                metadata: ["error": "\(error)"])
        }
    }

    private static func context(of tls: ListenerConfiguration.TLS) throws(CryptoError) -> TLSContext {
        try TLSContext(
            serverProtocols: ["http/1.1"], certificateFile: tls.certificateFile, privateKeyFile: tls.privateKeyFile)
    }

    private static func stamps(of tls: ListenerConfiguration.TLS) -> [FileStamp?] {
        [FileStamp(of: tls.certificateFile), FileStamp(of: tls.privateKeyFile)]
    }
}
