/// Names one HTTP/2 connection; the transport counts them.
package struct ConnectionNumber: Sendable, Hashable {
    package let value: Int
    package init(_ value: Int) { self.value = value }
}

/// The service's state of one connection.
struct Connection {
    let endpoint: Endpoint
    /// One stream until the first request that proved who it is.
    var streamLimit = 1
    var isRaised = false
    /// Points, see `APNsSimulator.Configuration.refusalsUntilSlow`.
    var refusals = 0
    var openStreams: Set<Int32> = []
    /// Milliseconds since 1970; when the last request came.
    var lastUsedAt: Int64

    /// Bound by the first valid token on this connection.
    var identity: Identity?
    /// Why every further request is refused, and until when (milliseconds since 1970).
    var wedge: (reason: Reason, until: Int64)?

    struct Identity {
        var key: ProviderKey
        /// The apps that the team had when the connection was bound: those that came later need a new connection.
        let bundles: Set<String>
        var token: String
        /// Seconds since 1970.
        var issuedAt: Int64
        /// Milliseconds since 1970; when this token was first seen here.
        var tokenSince: Int64
    }
}
