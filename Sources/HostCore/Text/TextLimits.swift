/// The bounds of the text that any agent's adapter shows, each with its reason; together they fit in the 192 KiB of an event's
/// body.
package struct TextLimits: Sendable {
    /// Characters of a session's title, if its agent gives none: the beginning of the first prompt.
    package var titleCharacters = 80
    /// The present action, in one line.
    package var operationBytes = 200
    /// The part of a message or an output that lists show.
    package var summaryBytes = 200
    /// Bytes of one message or prompt.
    package var messageBytes = 128 << 10
    /// Bytes of a tool's output; its beginning and its end are kept.
    package var outputBytes = 16 << 10
    package var diffBytes = 64 << 10
    /// Bytes of the input of a tool that runs without approval.
    package var inputBytes = 32 << 10
    /// Bytes of an approval's input: all of it if an event can hold it. The rest of the event is for the head and the diff.
    package var approvalInputBytes = 176 << 10
    package var approvalDiffBytes = 32 << 10
    package var todosMax = 500

    package init() {}
}
