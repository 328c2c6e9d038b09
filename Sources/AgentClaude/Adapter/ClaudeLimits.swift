internal import HostCore

/// The bounds of the Claude Code adapter, each with its reason.
package struct ClaudeLimits: Sendable {
    /// The hook is installed with a timeout of 86,400 s, and we answer before Claude kills it. Without a terminal it waits an hour,
    /// and our denial comes before that time-out. After SIGTERM to a hook SessionEnd came 0.3 to 1.5 s later; the registry
    /// distinguishes a No from the session's end sooner.
    var approvals = ApprovalLimits(life: .seconds(86_390), headlessLife: .seconds(3_580), lossGrace: .seconds(3))
    /// Time-out with which earlier versions installed the hook: one that ends after just this time was not denied.
    var approvalLifeOnce = Duration.seconds(3_600)
    /// Time in which an agent ends after its registry entry is gone; questions that it loses meanwhile were not denied. Longer than
    /// its last hooks may take.
    var leavingGrace = Duration.seconds(10)
    /// Time for which a registry entry must have lasted: hooks and registry report the same change up to 0.15 s apart.
    var registryGrace = Duration.milliseconds(400)
    /// Time for which the registry must say busy after a Stop hook until the turn counts as going on, because another Stop hook has
    /// sent the agent on, and for which a subagent's transcript is searched for that. Longer than most Stop hooks run.
    var stopGrace = Duration.seconds(5)
    /// Time that a person needs to read what the agent asks and to answer. Whoever answers faster is a program.
    var readingWithin = Duration.milliseconds(500)
    /// Time to wait until the transcript says that a turn was interrupted, which it does within 0.3 s; after that the turn has
    /// ended for another reason. People see within two seconds that it has ended.
    var interruptionWait = Duration.milliseconds(1_500)
    /// Time for which the registry entry must have named another session: a session that starts reports to its hook before it
    /// writes its entry.
    var replacedGrace = Duration.seconds(10)
    /// Time after which a dialog without a card is one that no hook was asked about: the hook's question arrives within 0.1 s of
    /// the dialog.
    var dialogGrace = Duration.seconds(1)
    /// Intervals at which the registry is checked with `stat`: as often as a person notices while a dialog is open, otherwise less
    /// often.
    var registryCheckOpen = Duration.milliseconds(100)
    var registryCheckBusy = Duration.milliseconds(200)
    var registryCheckIdle = Duration.seconds(1)
    /// Time for which the transcript is watched. It shows our denial within 0.2 s; the end of a batch may show it only after
    /// minutes.
    var transcriptWatch = Duration.seconds(10)
    /// Live sessions of one machine whose entries are read, most recently used first.
    var registryFilesMax = 64
    /// Intervals at which agents' processes are checked, because a killed agent reports nothing. Shorter while an approval is open,
    /// at which people look.
    var agentCheckOpen = Duration.seconds(1)
    var agentCheckIdle = Duration.seconds(15)
    /// Time between two reports of usage; the status line is redrawn many times a second.
    var usageInterval = Duration.seconds(2)
    /// Time after which the transcript is read once more. Claude Code runs Stop and SubagentStop, and draws its status line, before
    /// it writes the last message there: 0.1 s on a machine that is not busy.
    var lateRead = Duration.seconds(1)
    /// Time within which an interrupt has to take effect, at the next tool. Shorter than the desk's time-out, which would not
    /// report that it had no effect.
    var interruptWithin = Duration.seconds(25)
    /// Time within which a message to an idle session has to show as its next prompt. Shorter than the desk's time-out, which does
    /// not know that the message may be held at the terminal.
    var peerShowsWithin = Duration.seconds(25)
    /// Messages of a session that were sent and did not show; they are remembered in case they show later.
    var unshownMessagesMax = 16
    /// Time for a program to leave after its session has ended: it sends its last reports and exits within some three seconds. One
    /// that still runs after this has the session again.
    var programLeavesWithin = Duration.seconds(10)
    /// Time after a session's end in which a hook can be late. Hooks give up sooner, so a later one from its process means that the
    /// session continues.
    var hooksLateBy = Duration.seconds(10)

    /// Time to wait for a prompt's line, which Claude Code writes 0.1 to 0.9 s after it has called the hook. People see a prompt
    /// within two seconds.
    var promptLineWait = Duration.milliseconds(1_900)
    /// Interval at which the end of the transcript is read meanwhile.
    var promptLineCheck = Duration.milliseconds(100)
    /// Time for which a prompt's outcome is looked for, and the interval once `promptLineWait` is over: the person's own hooks have
    /// a minute by default.
    var submissionWait = Duration.seconds(65)
    var submissionCheck = Duration.seconds(1)
    /// Prompts of a session whose outcome is looked for at a time; each waits for the one before.
    var submittedMax = 4

    /// Time for which a tool's start, and its end after it, wait for the text before it: their hooks came up to 10 ms apart, in
    /// either order, on a machine that is not busy.
    var textWait = Duration.milliseconds(500)
    /// Time to wait for the end of a call that its batch has reported. Longer than their hooks may be apart; the end of the turn
    /// ends the wait sooner.
    var callEndWait = Duration.seconds(1)
    /// Deferred events of a session; one message has a few tools, each with its start, its end, and a file that it changed.
    var deferredMax = 48
    /// Pieces of one message that arrived before an earlier one.
    var earlyPiecesMax = 16
    /// Bytes of all deferred events, which are in one note on disk.
    var deferredBytesMax = 128 << 10

    /// Open calls of a session; a batch of an agent has a few.
    var callsMax = 256
    /// Unfinished messages of a session.
    var messagesMax = 8
    /// Sessions in memory, including those that have ended.
    var sessionsMax = 1_000

    var texts = TextLimits()
    /// Longer texts are cut before the search for secrets, so that a huge input does not delay other sessions' hooks.
    var scanBytes = 512 << 10
    /// Bytes searched beyond what is shown: no secret is longer.
    var scanMargin = 32 << 10
}
