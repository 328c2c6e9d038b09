internal import HostCore

/// The bounds of the ACP proxy, each with its reason.
package struct ACPLimits: Sendable {
    /// Bytes of one line; a prompt with a picture has some megabytes. A longer line is passed on in pieces, unread.
    var lineBytes = 8 << 20
    /// Sessions of one agent process; an editor has a handful open. Further ones are not reported.
    var sessionsMax = 64
    /// Unanswered requests of the editor; beyond this the oldest is forgotten.
    var requestsMax = 256
    /// Permissions that clients are asked about at a time; about further ones only the editor is asked.
    var questionsMax = 16
    /// Answers of the editor that are still to come, for questions that clients have answered.
    var lateAnswersMax = 256
    /// Answered permissions whose effect has not been seen yet.
    var evidenceMax = 64
    /// Milliseconds without a new call after which a permission that names no call is taken to be for all calls so far. An agent
    /// reports its calls a few milliseconds before or after the question.
    var gatherMilliseconds: Int64 = 250
    /// Time for an agent to report its first call. After that only the editor is asked.
    var firstCallMilliseconds: Int64 = 10_000
    /// Options of one permission; agents offer four.
    var optionsMax = 16
    /// Tool calls of one session that have not ended.
    var callsMax = 256
    /// Calls of one session that run on after their turn; more are told as ended without a result.
    var leftCallsMax = 32
    /// Limits of shown texts. About an approval with a longer input only the editor is asked.
    var texts = TextLimits()
    /// Bytes of texts that are compared; of longer ones only the file's name is reported. Other bytes wait meanwhile.
    var comparedBytes = 512 << 10
    /// Bytes kept of the end of a running call's output: as many as the daemon accepts.
    var printedBytes = 16 << 10
    /// Unanswered questions of the agent for the content of terminals at the editor.
    var terminalReadsMax = 32
    /// Files that one call changes.
    var changesMax = 32
    var todoBytes = 400
    /// Events of a session that are buffered until an answer of the agent names it.
    var bufferedEventsMax = 64

    /// Time in which no person can have read and answered a question; editors that answer automatically take milliseconds.
    var readingWithin = Duration.milliseconds(500)

    /// Sessions that can be steered at a time; each needs a thread that waits for the daemon.
    var steeredMax = 16
    /// Commands that are remembered, so that none is carried out twice.
    var steeringNamesMax = 256
    /// Prompts of the editor, over all sessions, that wait for the end of a client's. Further ones are passed on, and the agent
    /// refuses them.
    var queuedPromptsMax = 16
    var queuedBytesMax = 16 << 20
    /// Time for the agent to show a client's prompt, or to end it when cancelled. After it the editor's prompts no longer wait: an
    /// agent that never answers our request must not cost the editor its session.
    var ownAnswerWithin = Duration.seconds(30)
    /// Time in which an agent may still send updates of a cancelled turn after it has answered the prompt.
    var lateWordsWithin = Duration.seconds(5)
    /// Unanswered prompts of the editor in one session; editors send one after the other.
    var openPromptsMax = 16
    /// Unanswered questions of one session.
    var openQuestionsMax = 32
    /// Interrupts, and changes of mode, of one session that have no outcome yet.
    var openCommandsMax = 8

    package init() {}
}
