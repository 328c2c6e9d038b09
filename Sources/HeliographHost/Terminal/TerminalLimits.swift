/// Every bound of `heliograph claude`, each with its reason.
struct TerminalLimits: Sendable {
    /// Bytes of one read of a terminal or a connection.
    var readBytes = 64 << 10
    /// Bytes of one write after the system reported room.
    var writeBytes = 4 << 10
    /// Bytes of unsent output of one window: some seconds of drawing. A window that reads more slowly is disconnected, and may
    /// attach again.
    var outputBytes = 4 << 20
    /// Bytes of unsent input of the agent: the longest prompt, with its marks.
    var inputBytes = 1 << 20
    /// Milliseconds to wait for the rest of a key: it follows at once, even over a network. A single Escape is delayed by this.
    var keyGap: Int32 = 30
    /// Bytes of keys held back while we type: two seconds of a person's typing, or a pasted text.
    var heldBytes = 256 << 10
    /// Connections at a time: windows, hooks and lists.
    var connectionsMax = 32
    /// Milliseconds for which the agent's start waits for its first window.
    var firstAttachWithin = 10_000
    /// Time for the holder to come up.
    var startWithin = Duration.seconds(10)
    /// Milliseconds between two looks at the agent's files: `lookEvery` usually, `lookOftenEvery` while text of a client is typed.
    var lookEvery = 250
    var lookOftenEvery = 40
    /// Milliseconds from the program's drawing after the first change of size until the second one.
    var redrawAfter = 60
    /// Milliseconds for a program to draw after the first change of size; a busy machine is slow.
    var redrawWithin = 3_000
    /// Milliseconds in which the agent's last output is read after its end; a program that it started may hold it.
    var drainGrace = 1_000
    /// Milliseconds for windows to read the last output.
    var farewellGrace = 1_000
    /// Time for a holder's answer, which takes a millisecond; one that is stuck is left out of lists.
    var queryBudget = Duration.seconds(1)
}
