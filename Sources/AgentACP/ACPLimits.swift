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
    /// Answers of the editor that came too late, or are still to come, for questions that were answered from afar.
    var lateAnswersMax = 256
    /// Answered permissions whose effect is still awaited.
    var evidenceMax = 64
    /// Options of one permission; agents offer four.
    var optionsMax = 16
    /// Tool calls of one session that have not ended.
    var callsMax = 256
    /// An approval's input that is longer is asked about at the editor alone.
    var texts = TextLimits()
    /// Texts whose difference is looked for while bytes wait; of longer ones only the name is told.
    var comparedBytes = 512 << 10
    /// Files that one call changes.
    var changesMax = 32
    var todoBytes = 400
    /// Events of a session that no answer of the agent has named yet.
    var heldEventsMax = 64

    package init() {}
}
