/// A token of a backup, or of a data file without its newest events, that may have been revoked since.
package struct ReturningToken: Sendable {
    package let id: String
    /// `host` or `client`.
    package let role: String
    package let name: String
    /// Milliseconds since 1970.
    package let createdAt: Int64
}
