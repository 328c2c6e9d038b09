/// Every bound of `heliograph claude`, next to its reason.
struct TerminalLimits: Sendable {
    /// One read of a terminal or a connection.
    var readBytes = 64 << 10
    /// One write after the system said that there is room.
    var writeBytes = 4 << 10
    /// Unsent output of one window: some seconds of drawing. A window that reads slower is disconnected, and may attach again.
    var outputBytes = 4 << 20
    /// Unsent input of the agent: the longest prompt, with its marks.
    var inputBytes = 1 << 20
    /// For the rest of a key that came in part, in milliseconds: it follows at once, even over a network. Escape alone is late by so much.
    var keyGap: Int32 = 30
    /// Typed while we type; two seconds of a person, or what was pasted.
    var heldBytes = 256 << 10
    /// Attached at a time, and hooks and lists that come by.
    var connectionsMax = 32
    /// The agent waits to be started until its first window is there.
    var firstAttachWithin = 10_000
    /// For the holder to come up.
    var startWithin = Duration.seconds(10)
    /// Between two looks at the agent's files: while nothing is typed for a client, and while something is.
    var lookEvery = 250
    var lookOftenEvery = 40
    /// From what a program draws after the first of the two changes of size by which it redraws, until the second.
    var redrawAfter = 60
    /// For a program to draw after the first: a busy machine takes a while.
    var redrawWithin = 3_000
    /// The agent's last output may still be held by a program that it started.
    var drainGrace = 1_000
    /// For those attached to take the last of it.
    var farewellGrace = 1_000
    /// A holder answers a list in a millisecond; one that is stuck is left out.
    var queryBudget = Duration.seconds(1)
}
