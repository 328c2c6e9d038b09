/// The bounds of what any agent's translator shows, each with its reason; 192 KiB of an event's body are the room for all.
package struct TextLimits: Sendable {
    /// A session's title, if its agent gives none: the beginning of the first prompt.
    package var titleCharacters = 80
    /// The present action, in one line.
    package var operationBytes = 200
    /// The part of a message or an output that lists show.
    package var summaryBytes = 200
    /// One message or prompt.
    package var messageBytes = 128 << 10
    /// A tool's output: its beginning and its end.
    package var outputBytes = 16 << 10
    package var diffBytes = 64 << 10
    /// The input of a tool that nobody is asked about.
    package var inputBytes = 32 << 10
    /// The input of an approval: all of it wherever an event can hold it. What is left is for the head and the diff.
    package var approvalInputBytes = 176 << 10
    package var approvalDiffBytes = 32 << 10
    package var todosMax = 500

    package init() {}
}
