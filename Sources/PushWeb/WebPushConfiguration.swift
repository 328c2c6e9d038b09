/// In whose name to push, and where to.
package struct WebPushConfiguration: Sendable {
    package var key: VAPIDKey
    package var contact: VAPIDContact
    package var services = WebPushServices()
    /// Certificates to trust besides the system's; PEM.
    package var authorityFile: String?
    package var limits = WebPushLimits()

    package init(key: VAPIDKey, contact: VAPIDContact) {
        self.key = key
        self.contact = contact
    }
}
