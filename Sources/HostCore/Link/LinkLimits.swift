package import HeliographLink

/// The bounds of the connection to the relay, each with its reason.
package struct LinkLimits: Sendable {
    /// A host reconnects after every end of a connection but its replacement.
    package var reconnect = ReconnectMachine.Policy(steadyPart: 0, refused: .seconds(60))
    /// A connection that lasted this long has nothing to do with earlier failures.
    package var steadyAfter = Duration.seconds(30)
    /// Time from our `hello` to the relay's `welcome`.
    package var welcomeWithin = Duration.seconds(15)
    /// Time until sending again, after the relay reported that it cannot store now.
    package var resendAfter = Duration.seconds(5)
    /// Messages that are sent and not acknowledged: enough for a relay across an ocean, few enough to repeat.
    package var windowMessages = 16
    /// Bytes that are sent and not acknowledged; less than may wait in the engine's outbox.
    package var windowBytes = 2 << 20
    /// Bytes of one message's events; with its envelope it stays below the wire's megabyte.
    package var batchBytes = messageBytes
    /// Bytes of the events of one message, unsealed.
    static let messageBytes = 900 << 10
    /// After a refused message, events are sent one by one until this many were accepted.
    package var carefulEvents = 256

    package init() {}

    /// Reduces the limits for sealed events, which are up to three times as long as they are in the spool.
    mutating func seal() {
        windowBytes /= 4
        batchBytes /= 4
    }
}
