internal import HostCore

/// The bounds of the ACP proxy, each with its reason.
package struct ACPLimits: Sendable {
    /// One line of JSON; a prompt with a picture in it has some megabytes. What is longer goes through in pieces and is not read.
    var lineBytes = 8 << 20
    /// Sessions of one agent process; an editor has a handful open. Beyond that nothing is told of another.
    var sessionsMax = 64
    /// The editor's requests whose answers are awaited. Beyond that the oldest is forgotten.
    var requestsMax = 256
    /// Permissions that are asked about at a time. Beyond that only the editor is asked.
    var questionsMax = 16
    /// Answers of the editor that came too late, or are still to come, for questions that clients answered.
    var lateAnswersMax = 256
    /// Answered permissions whose effect is still awaited.
    var evidenceMax = 64
    /// Applies to a permission that names no call: time without a new call after which it is taken to be for all calls so far. An agent
    /// reports its calls a few milliseconds before or after the question.
    var gatherMilliseconds: Int64 = 250
    /// For the first call to be told of. Then only the editor is asked.
    var firstCallMilliseconds: Int64 = 10_000
    /// Options of one permission; agents offer four.
    var optionsMax = 16
    /// Tool calls of one session that have not ended.
    var callsMax = 256
    /// An approval's input that is longer is asked about at the editor alone.
    var texts = TextLimits()
    /// Texts whose difference is looked for while bytes wait; of longer ones only the name is told.
    var comparedBytes = 512 << 10
    /// The end of what a running call has printed: what the daemon takes of it.
    var printedBytes = 16 << 10
    /// The agent's questions for what a terminal at the editor shows that are not answered.
    var terminalReadsMax = 32
    /// Files that one call changes.
    var changesMax = 32
    var todoBytes = 400
    /// Events of a session that no answer of the agent has named yet.
    var bufferedEventsMax = 64

    /// Time in which no person can have read a question and answered it; editors that answer by themselves take milliseconds.
    var readingWithin = Duration.milliseconds(500)

    /// Sessions that can be steered at a time; somebody waits for the daemon for each.
    var steeredMax = 16
    /// Commands of which it is known that they came before.
    var steeringNamesMax = 256
    /// Prompts of the editor that wait for the end of a client's, of all sessions. Beyond that they go through, and the agent refuses them.
    var queuedPromptsMax = 16
    var queuedBytesMax = 16 << 20
    /// For the agent to show a client's prompt, or to end it when cancelled. Then the editor's prompts wait for it no longer: an agent
    /// that never answers a request of ours must not cost the editor the session.
    var ownAnswerWithin = Duration.seconds(30)
    /// Time in which an agent may still send updates of a cancelled turn after it has answered the prompt.
    var lateWordsWithin = Duration.seconds(5)
    /// Prompts of the editor in one session that are not answered; editors send one after the other.
    var openPromptsMax = 16
    /// Questions of one session that are not answered.
    var openQuestionsMax = 32
    /// Interrupts, and changes of mode, of one session whose end is awaited.
    var openCommandsMax = 8

    package init() {}
}
