/// The part of a request that a device signs, readable without opening the request: the audit log proves a decision by it.
package struct RequestConsent: Sendable, Equatable {
    package let host: HostKeyID
    /// The salted hash of what is shown: it reveals nothing of the content.
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
