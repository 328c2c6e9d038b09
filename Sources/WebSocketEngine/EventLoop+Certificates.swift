internal import CLibwebsockets

extension EventLoop {
    /// Reads certificate and key anew, for connections to come; those that are open keep what they were opened with. Both files have
    /// to be a pair that can be used: libwebsockets says nothing where they are not.
    package func renewCertificate(_ tls: ListenerConfiguration.TLS) {
        preconditionOnLoop()
        _ = unsafe lws_tls_cert_updated(context, tls.certificateFile, tls.privateKeyFile, nil, 0, nil, 0)
    }
}
