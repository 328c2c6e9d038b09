/// Limits of `heliograph mcp`, each with its reason.
package struct MCPLimits: Sendable {
    /// Bytes of one line of the client: the largest input that people can be shown whole, and room for the rest.
    package static let lineBytesMax = 1 << 20
    /// Calls that wait at a time; no person answers more questions.
    var callsMax = 32
    var batchMax = 64
    /// Time between two notifications of progress: clients that keep a call alive while it makes progress give up after about a
    /// minute without any.
    var progressInterval = Duration.seconds(10)
    /// Bytes of an input that a client's form can show; for a longer one no form is offered.
    var elicitedBytesMax = 4 << 10
    /// Forms of stateless clients that were not returned. Beyond this the oldest is forgotten, and its call asks anew.
    var formsMax = 32

    package init() {}
}
