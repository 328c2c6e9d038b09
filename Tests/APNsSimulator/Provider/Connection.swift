/// Names one HTTP/2 connection; the transport counts them.
package struct ConnectionNumber: Sendable, Hashable {
    package let value: Int
    package init(_ value: Int) { self.value = value }
}

/// The service's state of one connection.
struct Connection {
    let endpoint: Endpoint
    /// One stream until the first authenticated request.
    var streamLimit = 1
    var isRaised = false
    /// Points, see `APNsSimulator.Configuration.refusalsUntilSlow`.
    var refusals = 0
    var openStreams: Set<Int32> = []
    /// Time of the last request, in milliseconds since 1970.
    var lastUsedAt: Int64

    /// Identity from the first valid token on this connection.
    var identity: Identity?
    /// Reason for refusing every further request, and the end of that in milliseconds since 1970.
    var wedge: (reason: Reason, until: Int64)?

    struct Identity {
        var key: ProviderKey
        /// The team's apps at the time of binding: apps added later need a new connection.
        let bundles: Set<String>
        var token: String
        /// Seconds since 1970.
        var issuedAt: Int64
        /// Time at which this token was first used here, in milliseconds since 1970.
        var tokenSince: Int64
    }
}
