internal import CHeliographLibwebsockets
internal import Logging

extension EventLoop {
    /// Reads certificate and key anew, of whatever kind, for connections to come; those that are open keep what they were opened with.
    /// Two files that are no pair change nothing but the log.
    package func renewCertificate(_ tls: ListenerConfiguration.TLS) {
        preconditionOnLoop()
        guard let context = unsafe storage.tlsContext else { preconditionFailure("a loop without TLS has no certificate") }
        guard unsafe clws_identity_read(storage.identity, tls.certificateFile, tls.privateKeyFile) == 0 else {
            return logger.error("cannot use the new certificate", metadata: ["file": "\(tls.certificateFile)"])
        }
        unsafe clws_identity_use(context, storage.identity)
    }
}
