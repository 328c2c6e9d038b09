internal import HeliographCrypto
internal import Logging

extension EventLoop {
    /// Reads certificate and key again, of whatever kind, for connections to come; those that are open keep what they were opened with.
    /// Two files that are no pair change nothing but the log.
    package func renewCertificate(_ tls: ListenerConfiguration.TLS) {
        preconditionOnLoop()
        guard let context = unsafe storage.tlsContext else { preconditionFailure("a loop without TLS has no certificate") }
        do throws(CryptoError) {
            try storage.identity.read(certificateFile: tls.certificateFile, privateKeyFile: tls.privateKeyFile)
        } catch {
            return logger.error("cannot use the new certificate", metadata: ["file": "\(tls.certificateFile)"])
        }
        unsafe storage.identity.show(in: context)
    }
}
