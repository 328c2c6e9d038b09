internal import HostCore

/// The bounds of the Codex adapter, each with its reason.
package struct CodexLimits: Sendable {
    /// Codex itself waits without end; a day is as long as a card is of use. A connection that broke is there again, and what is asked has
    /// been said again, within seconds.
    var approvals = ApprovalLimits(life: .seconds(86_400), headlessLife: .seconds(3_580), lossGrace: .seconds(15))
    /// Codex says that a dialog is open before it says which: the question comes within milliseconds.
    var dialogGrace = Duration.seconds(1)
    /// Codex's server is restarted by its updates, and the terminal reconnects by itself; a session that is away for longer has ended.
    var goneGrace = Duration.seconds(30)
    /// A thread that is reverted is unloaded, loaded again and said to be reverted within milliseconds, on a busy machine within a second.
    var unloadGrace = Duration.milliseconds(1_500)
    /// A thread can be resumed once its first turn is written down, which is some milliseconds after that began. Doubled each time.
    var resumeRetry = Duration.milliseconds(50)
    /// Six seconds in all; after that at the thread's next sign of life.
    var resumeAttemptsMax = 7
    /// Time to fetch what a turn held before we joined; after it the thread is followed from here on.
    var catchUpWithin = Duration.seconds(5)
    /// A turn that ended this recently is news: it began while the server was being found, which takes a second or two.
    var recent = Duration.seconds(10)
    /// Messages of one thread that are buffered meanwhile.
    var bufferedMessagesMax = 512
    /// Codex unloads a thread that nobody watches. We stop watching one that is idle for this long, and resume it at its next sign of
    /// life.
    var watchIdle = Duration.seconds(1_800)
    /// Threads of one server.
    var threadsMax = 256
    /// Open questions on one connection, and questions that we answered and Codex has not closed yet.
    var requestsMax = 256
    /// Sessions in memory, including those that have ended.
    var sessionsMax = 1_000
    /// Items of one turn that were reported, so that none is reported twice after a connection failed.
    var toldMax = 256
    /// Turns that were reported, so that none is reported twice after those behind it were reverted.
    var toldTurnsMax = 64
    /// Open calls, and unfinished messages, of one session.
    var callsMax = 64
    /// Steering requests that were sent and whose end Codex has not shown: their desk waits half a minute for each.
    var givenMax = 256
    /// Codex opens an idle thread within a second or two; a request that waited longer than this is refused, well before its desk gives
    /// it up.
    var wakeWithin = Duration.seconds(15)
    /// Codex copies its program before it starts its server for the first time: seconds, and more on a slow disk. A launch that waits
    /// longer for the server is refused, before the desk for new sessions gives it up.
    var serverWithin = Duration.seconds(90)
    /// Starts that wait for the server: more than the desk has under way.
    var waitingLaunchesMax = 16
    /// A change of settings that is reported this long after a request was not made by that request.
    var settingWithin = Duration.seconds(30)
    /// A turn that begins this long after its thread was given a freer policy may run by it, whatever was reported in between.
    var freedWithin = Duration.seconds(10)
    var messagesMax = 8
    /// Pieces of a command's output that Codex sends while it runs; the rest comes with its end.
    var outputPieces = 10_000
    /// The title of a past thread.
    var pastTitleBytes = 512
    /// File changes awaiting approval, in a session's note: Codex does not send them again to a later daemon.
    var changesBytes = 128 << 10

    var texts = TextLimits()

    package init() {}
}
