internal import HostCore

/// The bounds of the Codex adapter, each with its reason.
package struct CodexLimits: Sendable {
    /// Codex itself waits without end; after a day a card is of no more use. After a broken connection, open questions are repeated
    /// within seconds.
    var approvals = ApprovalLimits(life: .seconds(86_400), headlessLife: .seconds(3_580), lossGrace: .seconds(15))
    /// Time for a dialog's question to arrive, usually milliseconds after Codex reports that a dialog is open.
    var dialogGrace = Duration.seconds(1)
    /// Time after which a session without a connection has ended: updates restart Codex's server, and the terminal reconnects by
    /// itself.
    var goneGrace = Duration.seconds(30)
    /// Time for a reverted thread to be unloaded, loaded again and reported as reverted: milliseconds, on a busy machine a second.
    var unloadGrace = Duration.milliseconds(1_500)
    /// First delay before a thread is resumed again, doubled each time: it can be resumed once its first turn is written down, some
    /// milliseconds after that began.
    var resumeRetry = Duration.milliseconds(50)
    /// Attempts to resume, over six seconds in all; later attempts follow at the thread's next sign of life.
    var resumeAttemptsMax = 7
    /// Time to fetch the part of a turn from before we joined; after it the thread is followed from here on.
    var catchUpWithin = Duration.seconds(5)
    /// Age up to which an ended turn is news: it began while the server was being found, which takes a second or two.
    var recent = Duration.seconds(10)
    /// Messages of one thread that are buffered meanwhile.
    var bufferedMessagesMax = 512
    /// Time after which we stop watching an idle thread, so that Codex unloads it; it is resumed at its next sign of life.
    var watchIdle = Duration.seconds(1_800)
    /// Threads of one server.
    var threadsMax = 256
    /// Open questions on one connection, and questions that we answered and Codex has not closed yet.
    var requestsMax = 256
    /// Sessions in memory, including those that have ended.
    var sessionsMax = 1_000
    /// Items of one turn that are remembered as reported, so that none is reported twice after a connection failed.
    var toldMax = 256
    /// Turns that are remembered as reported, so that none is reported twice after those behind it were reverted.
    var toldTurnsMax = 64
    /// Open calls, and unfinished messages, of one session.
    var callsMax = 64
    /// Steering requests without an outcome from Codex; the desk waits half a minute for each.
    var givenMax = 256
    /// Time for Codex to open an idle thread, usually a second or two. A request that waited longer is refused, well before its
    /// desk gives it up.
    var wakeWithin = Duration.seconds(15)
    /// Time for Codex's server to start. The first time Codex copies its program: seconds, and more on a slow disk. A launch that
    /// waits longer is refused, before the desk for new sessions gives it up.
    var serverWithin = Duration.seconds(90)
    /// Starts that wait for the server: more than the desk has under way.
    var waitingLaunchesMax = 16
    /// Time after a request in which a reported change of settings can be its effect.
    var settingWithin = Duration.seconds(30)
    /// Time after a thread was given a freer policy in which a new turn may still use it, whatever was reported in between.
    var freedWithin = Duration.seconds(10)
    var messagesMax = 8
    /// Pieces of a command's output that Codex sends while it runs; the rest comes with its end.
    var outputPieces = 10_000
    var pastTitleBytes = 512
    /// Bytes of file changes awaiting approval in a session's note; Codex does not send them again to a later daemon.
    var changesBytes = 128 << 10

    var texts = TextLimits()

    package init() {}
}
