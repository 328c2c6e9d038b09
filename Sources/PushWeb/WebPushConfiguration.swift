/// The sender's identity, and the services to push to.
package struct WebPushConfiguration: Sendable {
    /// The key and contact that sign requests. If nil, nothing is signed or sent to browsers.
    package let signer: (key: VAPIDKey, contact: VAPIDContact)?
    package var services = WebPushServices()
    /// Certificates to trust besides the system's; PEM.
    package var authorityFile: String?
    package var limits = WebPushLimits()

    package init(key: VAPIDKey, contact: VAPIDContact) { signer = (key, contact) }

    /// A configuration for servers that take JSON as it is.
    package init(of services: WebPushServices) {
        signer = nil
        self.services = services
    }
}
