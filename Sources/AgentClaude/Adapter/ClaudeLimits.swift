internal import HostCore

/// The bounds of the Claude Code adapter, each with its reason.
package struct ClaudeLimits: Sendable {
    /// The hook is installed with a timeout of 86,400 s: we answer before Claude kills it. Without a terminal it waits an hour, less
    /// what makes the denial ours and not a timeout. After SIGTERM to a hook SessionEnd came 0.3 to 1.5 s later, and the registry tells
    /// No from the end of the session sooner.
    var approvals = ApprovalLimits(life: .seconds(86_390), headlessLife: .seconds(3_580), lossGrace: .seconds(3))
    /// Hooks were installed with 3,600 s once. One that ends after just that was not denied.
    var approvalLifeOnce = Duration.seconds(3_600)
    /// An agent whose registry entry is gone is ending: what it lost was not denied. Longer than its hooks at the end may take.
    var leavingGrace = Duration.seconds(10)
    /// Time for which a registry entry must have lasted: hooks and registry report the same change up to 0.15 s apart.
    var registryGrace = Duration.milliseconds(400)
    /// Wait for the transcript to say that a turn was interrupted, which it does within 0.3 s; after that the turn has ended for another
    /// reason. People see within two seconds that it has.
    var interruptionWait = Duration.milliseconds(1_500)
    /// Time for which an entry must have named another session: a session that starts reports to its hook before it writes its entry.
    var replacedGrace = Duration.seconds(10)
    /// A dialog without a card for this long is one that no hook was asked about: the hook's question arrives within 0.1 s of the dialog.
    var dialogGrace = Duration.seconds(1)
    /// The registry is looked at with `stat`: while a dialog is open as often as a person notices, else less.
    var registryCheckOpen = Duration.milliseconds(100)
    var registryCheckBusy = Duration.milliseconds(200)
    var registryCheckIdle = Duration.seconds(1)
    /// The transcript shows our denial within 0.2 s; a batch whose end shows it later may take minutes.
    var transcriptWatch = Duration.seconds(10)
    /// Live sessions of one machine whose entries are read, most recently used first.
    var registryFilesMax = 64
    /// A killed agent says nothing; people look at an open approval, so it is noticed soon.
    var agentCheckOpen = Duration.seconds(1)
    var agentCheckIdle = Duration.seconds(15)
    /// The status line is redrawn many times a second.
    var usageInterval = Duration.seconds(2)
    /// Claude Code runs Stop and SubagentStop, and draws its status line, before it writes the last message to the transcript: 0.1 s on a
    /// machine that is not busy.
    var lateRead = Duration.seconds(1)
    /// An interrupt takes effect at the next tool. Sooner than the host's desk gives up on it, which then would not know that nothing came
    /// of it.
    var interruptWithin = Duration.seconds(25)
    /// A message to an idle session is its next prompt within a moment. Sooner than the host's desk gives up on it, which does not know that
    /// it may be held at the terminal.
    var peerShowsWithin = Duration.seconds(25)
    /// Messages of a session that were sent, did not show, and are known again when they do.
    var unshownMessagesMax = 16
    /// A program that ran a session that has ended reports its last and exits within some three seconds. One that is still there then has
    /// the session again.
    var programLeavesWithin = Duration.seconds(10)
    /// A hook gives up on us sooner; what comes from its process later means that the session goes on.
    var hooksLateBy = Duration.seconds(10)

    /// Claude Code writes a prompt's line 0.1 to 0.9 s after it has called the hook. People see a prompt within two seconds.
    var promptLineWait = Duration.milliseconds(1_900)
    /// The end of the transcript is read again so often until then.
    var promptLineCheck = Duration.milliseconds(100)

    /// A tool's start, and its end behind it, wait so long for the text that announces it: their hooks came up to 10 ms apart, in either
    /// order, on a machine that is not busy.
    var textWait = Duration.milliseconds(500)
    /// Wait for the end of a call whose batch has reported it. Longer than their hooks may be apart; the end of the turn ends it sooner.
    var callEndWait = Duration.seconds(1)
    /// Events of a session that wait for it; one message has a few tools, each with its start, its end, and a file that it changed.
    var deferredMax = 48
    /// Pieces of one message that overtook another.
    var earlyPiecesMax = 16
    /// All of them together are in one note on disk.
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
    /// Searched beyond what is shown: no secret is longer.
    var scanMargin = 32 << 10
}
