/// Limits of `heliograph mcp`, each with its reason.
package struct MCPLimits: Sendable {
    /// One line of the client: the largest input that people can be shown whole, and room for the rest.
    package static let lineBytesMax = 1 << 20
    /// Calls that wait at a time: more questions than these no person answers.
    var callsMax = 32
    /// Messages of one batch.
    var batchMax = 64
    /// Clients that keep a call alive while it makes progress give up after a minute or so without any.
    var progressInterval = Duration.seconds(10)
    /// An input that a client's own form can show. A longer one is not offered there.
    var elicitedBytesMax = 4 << 10
    /// Forms of stateless clients that were not returned: the oldest is forgotten, and its call asks anew.
    var formsMax = 32

    package init() {}
}
