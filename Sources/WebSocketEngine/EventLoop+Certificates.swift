internal import HeliographCrypto
internal import Logging

extension EventLoop {
    /// Reads certificate and key again for new connections; open ones keep theirs. If the two files are no pair, that is only
    /// logged.
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
