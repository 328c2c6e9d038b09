/// The bounds of typing into Claude Code's own screen, each with its reason.
package struct TypingLimits: Sendable {
    /// A person who typed within this time may go on: the pause between two words.
    package var quiet = Duration.milliseconds(600)
    /// Wait of a prompt for a moment at which it can be typed; after that its author receives the reason. Well within
    /// `SteeringLimits.evidenceWithin`, all else included.
    package var readyWithin = Duration.seconds(10)
    /// Longest time for which a person's key is held back.
    package var holdFor = Duration.seconds(2)
    /// Longer than `holdFor` if nobody types: a busy machine draws late, and nobody waits for a key.
    package var undisturbed = Duration.seconds(3)
    /// From the person's first key that is held back, until all must be in the box; what is left of `holdFor` is for taking it away again.
    package var shownWithin = Duration.milliseconds(1_500)
    /// For a draft to be set aside, of that.
    package var asideWithin = Duration.milliseconds(500)
    /// From Enter to the agent's own word that it took it.
    package var takenWithin = Duration.seconds(4)
    /// After that word the agent gives a draft back; keys that come before would be mixed with it.
    package var settlesFor = Duration.milliseconds(150)
    /// Attempts at typing a text that had to be deleted again, before its author receives a refusal.
    package var attemptsMax = 3
    /// For the agent to show that it was interrupted, after each Esc.
    package var interruptWithin = Duration.seconds(2)
    /// One more for a menu, or an editor with modes, that took the first.
    package var escapesMax = 2
    /// A key that follows Esc at once would be another key with it.
    package var escapeHold = Duration.milliseconds(150)
    /// For the footer to show the next mode.
    package var modeWithin = Duration.seconds(1)
    /// All modes there are, and one more.
    package var modeStepsMax = 6
    /// For the agent to end when its terminal is closed: its hooks at the end may take 5 s.
    package var endGrace = Duration.seconds(10)
    /// Between two looks at a line that is being emptied.
    package var removeEvery = Duration.milliseconds(60)
    /// Keys of which so many come at once the agent takes for pasted text, and drops: of 24 it took each, of 300 none.
    package var keysAtOnceMax = 20

    package init() {}
}
