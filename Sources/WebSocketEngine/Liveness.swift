/// Detection of dead peers. The peer should be told, so that it is as patient as this.
package struct Liveness: Sendable, Equatable {
    /// A ping is sent when nothing came for this long.
    package let pingAfter: Duration

    /// The connection is over when nothing came for this long, a pong included. Late by no more than `DueTable.step`.
    package let hangUpAfter: Duration

    package init(pingAfter: Duration = .seconds(20), hangUpAfter: Duration = .seconds(30)) {
        precondition(pingAfter < hangUpAfter, "a peer needs time between the ping and the hang-up")
        self.pingAfter = pingAfter
        self.hangUpAfter = hangUpAfter
    }
}
