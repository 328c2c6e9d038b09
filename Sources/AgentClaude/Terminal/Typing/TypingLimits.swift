/// The bounds of typing into Claude Code's own screen, each with its reason.
package struct TypingLimits: Sendable {
    /// Time without keys after which a person counts as not typing: longer than the pause between two words.
    package var quiet = Duration.milliseconds(600)
    /// Time for which a prompt waits for a moment at which it can be typed; after that its author gets the reason. With everything
    /// else it is well within `SteeringLimits.evidenceWithin`.
    package var readyWithin = Duration.seconds(10)
    /// Longest time for which a person's key is held back.
    package var holdFor = Duration.seconds(2)
    /// Time for typing if the person does not type, longer than `holdFor`: a busy machine draws late, and no key is held back.
    package var undisturbed = Duration.seconds(3)
    /// Time from the first held key until all our text must be in the box; the rest of `holdFor` is for removing it again.
    package var shownWithin = Duration.milliseconds(1_500)
    /// The part of that time in which a draft is set aside.
    package var asideWithin = Duration.milliseconds(500)
    /// Time from Enter to the agent's report of the prompt to its hooks.
    package var takenWithin = Duration.seconds(4)
    /// Time from that report until the transcript shows that the agent took the prompt, or that a hook refused it. Longer than most
    /// hooks run.
    package var provenWithin = Duration.seconds(10)
    /// Time after the report in which the agent restores a draft; earlier keys would be mixed with it.
    package var settlesFor = Duration.milliseconds(150)
    /// Attempts at typing a text that had to be deleted again, before its author receives a refusal.
    package var attemptsMax = 3
    /// Time for the agent to show that it was interrupted, after each Esc.
    package var interruptWithin = Duration.seconds(2)
    /// Times that Esc is pressed: once more if a menu, or an editor with modes, took the first.
    package var escapesMax = 2
    /// Time for which keys are held after Esc, which would form another key with the next one.
    package var escapeHold = Duration.milliseconds(150)
    /// Time for the footer to show the next mode.
    package var modeWithin = Duration.seconds(1)
    /// Steps through the modes: all that exist, and one more.
    package var modeStepsMax = 6
    /// Time for the agent to end after its terminal was closed: its last hooks may take 5 s.
    package var endGrace = Duration.seconds(10)
    /// Time between two looks at a line that is being emptied.
    package var removeEvery = Duration.milliseconds(60)
    /// Keys that are sent at once. The agent takes a larger number for pasted text, and drops them: of 24 it took each, of 300
    /// none.
    package var keysAtOnceMax = 20

    package init() {}
}
