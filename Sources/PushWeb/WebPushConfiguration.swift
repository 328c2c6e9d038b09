/// In whose name to push, and where to.
package struct WebPushConfiguration: Sendable {
    /// Nil: nothing is signed, and no browser is pushed to.
    package let signer: (key: VAPIDKey, contact: VAPIDContact)?
    package var services = WebPushServices()
    /// Certificates to trust besides the system's; PEM.
    package var authorityFile: String?
    package var limits = WebPushLimits()

    package init(key: VAPIDKey, contact: VAPIDContact) { signer = (key, contact) }

    /// For servers that take JSON as it is.
    package init(of services: WebPushServices) {
        signer = nil
        self.services = services
    }
}
