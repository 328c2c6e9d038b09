/// The bounds of the approval desk, each with its reason.
package struct ApprovalLimits: Sendable {
    /// Time for which a question is open: shorter than the agent itself waits.
    package var life: Duration
    /// Life of a question of an agent without a terminal, where nobody else answers: shorter than `life`, and short enough that our
    /// denial comes before the agent's own time-out.
    package var headlessLife: Duration
    /// Time to learn what the loss of a waiting call means: a No at the terminal, or the end of the session.
    package var lossGrace: Duration
    /// Time for a relay that restarts to return; a headless agent waits no longer than this.
    package var headlessUnreachable = Duration.seconds(10)
    /// Time within which a hook that our restart cut off calls again.
    package var reclaimWithin = Duration.seconds(15)
    /// Time within which a daemon that was stopped receives the disconnections of the hooks that gave it up.
    package var hookLossGrace = Duration.seconds(1)
    /// Silence after which the daemon counts as stopped, because not even its own timer fired. Hooks give it up after 9 s.
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
