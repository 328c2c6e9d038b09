/// The bounds of the approval desk, each with its reason.
package struct ApprovalLimits: Sendable {
    /// Time for which a question is open: shorter than the agent itself waits.
    package var life: Duration
    /// Without a terminal nobody else answers: shorter, and less than what would make the denial a time-out of the agent's.
    package var headlessLife: Duration
    /// A waiting call that goes away means No or the end of the session: time until it is known which.
    package var lossGrace: Duration
    /// A relay that restarts is back by then; a headless agent is not kept waiting for one that is not.
    package var headlessUnreachable = Duration.seconds(10)
    /// A hook that was cut off by our restart calls again within this.
    package var reclaimWithin = Duration.seconds(15)
    /// Within this, a daemon that was stopped receives the disconnections of the hooks that gave it up.
    package var hookLossGrace = Duration.seconds(1)
    /// A daemon that received nothing for so long, not even its own timer, was stopped: hooks give it up after 9 s.
    package var awayAfter = Duration.seconds(5)
    /// Approvals that wait at one time on this machine.
    package var approvalsMax = 256
    /// Resolved approvals that are remembered, for a decision that comes again.
    package var closedMax = 512

    package init(life: Duration, headlessLife: Duration, lossGrace: Duration) {
        self.life = life
        self.headlessLife = headlessLife
        self.lossGrace = lossGrace
    }
}
