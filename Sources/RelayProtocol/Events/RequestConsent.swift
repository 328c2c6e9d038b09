/// The part of a request that a device signs, for readers that cannot open it: the audit log proves a decision by it.
package struct RequestConsent: Sendable, Equatable {
    package let host: HostKeyID
    /// The hash of what is shown, which has a random salt: it says nothing of the content.
    package let shown: InputDigest

    package init(host: HostKeyID, shown: InputDigest) { (self.host, self.shown) = (host, shown) }

    init(from value: JSONValue) throws(WireError) {
        self.init(host: try value.hostKeyID("host"), shown: try value.digest("shown"))
    }

    func write(to writer: inout JSONWriter) {
        writer.field("host", host)
        writer.field("shown", shown.rawValue)
    }
}
