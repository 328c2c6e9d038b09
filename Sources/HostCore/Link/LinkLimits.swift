package import HeliographLink

/// The bounds of the connection to the relay, each with its reason.
package struct LinkLimits: Sendable {
    /// A host comes back from everything but its replacement.
    package var reconnect = ReconnectMachine.Policy(steadyPart: 0, refused: .seconds(60))
    /// A connection that held this long was no part of the trouble before it.
    package var steadyAfter = Duration.seconds(30)
    /// From our `hello` to the relay's `welcome`.
    package var welcomeWithin = Duration.seconds(15)
    /// After the relay said that it cannot store now.
    package var resendAfter = Duration.seconds(5)
    /// Messages that are sent and not acknowledged: enough for a relay across an ocean, few enough to repeat.
    package var windowMessages = 16
    /// Bytes likewise; below what may wait in the engine's outbox.
    package var windowBytes = 2 << 20
    /// One message, with its envelope below the wire's megabyte.
    package var batchBytes = messageBytes
    /// Events of one message.
    static let messageBytes = 900 << 10
    /// After a refused message, events go one by one until so many went through.
    package var carefulEvents = 256

    package init() {}

    /// Sealed events are up to three times as long as they are in the spool.
    mutating func seal() {
        windowBytes /= 4
        batchBytes /= 4
    }
}
