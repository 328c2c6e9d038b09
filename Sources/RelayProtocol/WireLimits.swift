/// Limits of messages. The relay announces those that its peers need to know.
package enum WireLimits {
    /// One WebSocket message: enough for a batch of events with a screenful of diff each.
    package static let messageBytesMax = 1 << 20
    /// Events in one `events` message: enough for a host that was disconnected for an hour to catch up in a few round trips.
    package static let batchEventsMax = 256
    /// One event, body included: enough for a large diff. A host cuts longer ones and marks them as cut.
    package static let eventBytesMax = 256 << 10
    /// One `approval.requested` whose body has only `shown`: an event as a JSON text, in which each byte takes two at most, plus
    /// its head again.
    package static let shownEventBytesMax = 3 * eventBytesMax + (1 << 10)
    /// The line of a sealed session: 1 KiB of text, sealed, in base64url.
    package static let sealedLineBytesMax = 2 << 10
    /// The offer of a sealed session, which is in each of its summaries, and twice in its event.
    package static let sealedOfferBytesMax = 80 << 10
    /// A host's keys of epochs, wrapped for devices: they are in each summary of the session that represents the host.
    package static let wrapsMax = 512
    /// Space for the head and the line of a sealed event.
    private static let sealedRoom = 24 << 10
    /// An event that a host may seal: in base64url it is a third longer, and a sealed event of any kind has at most
    /// `shownEventBytesMax` on the wire.
    package static let eventBytesMaxToSeal = (shownEventBytesMax - sealedRoom) / 4 * 3
    /// Nesting of containers in one event: the depth that fitted an `events` message in versions whose readers accepted 32. A host
    /// cuts what is deeper.
    package static let eventDepthMax = 30
    /// Nesting that messages, answers and lines of the audit log add to an event: three in a snapshot, and three in reserve.
    package static let envelopeDepthMax = 6
    /// Sessions named in one `hello`.
    package static let helloSessionsMax = 1_000
    /// A name of a host, client, tool or model.
    package static let nameBytesMax = 256
    /// A line that lists show: a title, an operation, a path.
    package static let lineBytesMax = 4 << 10
    /// A text that a person types: a prompt, a reason, an answer.
    package static let textBytesMax = 32 << 10
    /// Pictures of one prompt: as many as a person compares.
    package static let picturesMax = 4
    /// One picture: enough for a screenshot of the size that models look at, or a photo with as many colours.
    package static let pictureBytesMax = 768 << 10
    /// The last part of a running tool's output.
    package static let outputBytesMax = 4 << 10
    /// All answers of one decision together. Even if every character is escaped, and with a signature, a decision fits one event.
    package static let answersBytesMax = 32 << 10
    /// A device's signature, in any encoding.
    package static let signatureBytesMax = 4 << 10
    /// A letter between a client and a host or another client: enough for some keys, names and signatures.
    package static let letterBytesMax = 4 << 10
    /// A terminal's screen: enough for 100 rows of 300 columns, each character in its own colour.
    package static let screenBytesMax = 256 << 10
    /// A sealed screen: base64url takes four thirds of it.
    package static let sealedScreenBytesMax = screenBytesMax / 3 * 4 + (1 << 10)
    /// Keys of one message; a longer paste is sent in several.
    package static let keysBytesMax = 4 << 10
    /// Questions in one approval, and choices in one question.
    package static let questionsMax = 64
    /// Modes offered in one approval.
    package static let modesMax = 8
    /// Kinds of actions in one offer: more than this version has, for newer hosts.
    package static let steeringActionsMax = 32
    /// Modes, models and commands in one offer.
    package static let steeringModesMax = 16
    package static let steeringModelsMax = 64
    package static let steeringCommandsMax = 256
    /// Folders in which one host allows sessions to be started: a list that a person can choose from.
    package static let projectsMax = 64
    /// Agents that one host can start: more than exist today.
    package static let startableMax = 16
    /// Past sessions in one list: as many as a person looks through, and as fit one event.
    package static let pastSessionsMax = 50
    /// Rules of a host, and patterns of a rule: as many as the host's file may have.
    package static let rulesMax = 256
    package static let rulePatternsMax = 64
    /// Calls that a rule may be limited to.
    package static let ruleTimesMax: Int64 = 10_000
    /// Rules sent to every client with a host's offer: as much as a person reads through.
    package static let rulesBytesMax = 16 << 10
    /// Result of `ruleTry`: as many calls as a person looks through. With its head it fits one event.
    package static let triedBytesMax = 128 << 10
    /// Commands of one session whose outcome is not known yet.
    package static let steeringOpenMax = 64
    /// Warnings of one request: a single one is enough to make a person look.
    package static let risksMax = 8
    /// Members of one input that a person may change; known tools have up to two.
    package static let editableMax = 8
    /// An agent's own options of one approval; agents have been seen with up to four.
    package static let offersMax = 16
    /// Events in one answer to `history`.
    package static let historyEventsMax = 500
    /// A pairing code that a person copies or scans; ours are far shorter.
    package static let pairingCodeBytesMax = 128
    /// A word for the kind of a token's holder.
    package static let tokenKindBytesMax = 64
    /// A token, or a page's key, as the relay issues it.
    package static let secretBytesMax = 1 << 10
    /// An APNs token in hexadecimal digits: Apple says to assume no length.
    package static let tokenBytesMax = 1_024
    /// Sessions that one device has muted.
    package static let mutedSessionsMax = 1_000
    /// Projects that one device has muted: as many as one host offers.
    package static let mutedProjectsMax = 64
    /// Approvals of a session that a device is silent about for a time: a session rarely has more than a few that wait.
    package static let mutedApprovalsMax = 64
    /// Levels of one budget.
    package static let budgetLevelsMax = 10
    /// Held sessions listed for one host: these fit one message. Beyond that all sessions of the host are held.
    package static let heldSessionsMax = 10_000
    /// Time for which a client counts as present after its last message, in milliseconds.
    package static let presenceMilliseconds: Int64 = 30_000
}
