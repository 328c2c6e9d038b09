/// Detection of dead peers. The peer should be told these times, so that it waits as long.
package struct Liveness: Sendable, Equatable {
    /// A ping is sent if nothing was received for this long.
    package let pingAfter: Duration

    /// The connection is ended if nothing was received for this long, a pong included. At most `DueTable.step` late.
    package let hangUpAfter: Duration

    package init(pingAfter: Duration = .seconds(20), hangUpAfter: Duration = .seconds(30)) {
        precondition(pingAfter < hangUpAfter, "a peer needs time between the ping and the hang-up")
        self.pingAfter = pingAfter
        self.hangUpAfter = hangUpAfter
    }
}
