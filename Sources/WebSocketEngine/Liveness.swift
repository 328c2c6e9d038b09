/// How a dead peer is noticed. Tell the peer: it should be as patient as this.
package struct Liveness: Sendable, Equatable {
    /// A ping is sent when nothing came for this long.
    package let pingAfter: Duration

    /// The connection is over when nothing came for this long, a pong included. Checked every `EventLoop.sweepInterval`.
    package let hangUpAfter: Duration

    /// The same, for the sweep over thousands.
    let pingNanoseconds: Int64
    let hangUpNanoseconds: Int64

    package init(pingAfter: Duration = .seconds(20), hangUpAfter: Duration = .seconds(30)) {
        precondition(pingAfter < hangUpAfter, "a peer needs time between the ping and the hang-up")
        self.pingAfter = pingAfter
        self.hangUpAfter = hangUpAfter
        pingNanoseconds = pingAfter.wholeNanoseconds
        hangUpNanoseconds = hangUpAfter.wholeNanoseconds
    }
}
