/// Limits of messages. The relay announces those that its peers have to plan for.
package enum WireLimits {
    /// One WebSocket message: a batch of events with a screenful of diff each.
    package static let messageBytesMax = 1 << 20
    /// Events in one `events` message: a host that was away for an hour catches up in a few round trips.
    package static let batchEventsMax = 256
    /// One event, body included: a large diff. A host cuts what is longer and says so.
    package static let eventBytesMax = 256 << 10
    /// One `approval.requested` whose body is `shown` alone: an event as a text, in which each byte takes two at most, and its head once more.
    package static let shownEventBytesMax = 3 * eventBytesMax + (1 << 10)
    /// The line of a sealed session: 1 KiB of text, sealed, in base64url.
    package static let sealedLineBytesMax = 2 << 10
    /// The offer of a sealed session: it is in each of its summaries, and twice in its event.
    package static let sealedOfferBytesMax = 80 << 10
    /// Keys of epochs, wrapped for devices, that one host offers: they are in each summary of the session that represents it.
    package static let wrapsMax = 512
    /// Room for the head and the line of a sealed event.
    private static let sealedRoom = 24 << 10
    /// An event that a host seals: base64url takes four thirds of it, and a sealed event of any kind has at most `shownEventBytesMax` on the wire.
    package static let eventBytesMaxToSeal = (shownEventBytesMax - sealedRoom) / 4 * 3
    /// Containers inside containers of one event: what fitted an `events` message when readers took 32. A host cuts what is deeper.
    package static let eventDepthMax = 30
    /// Nesting that messages, answers and lines of the audit log add to an event: three in a snapshot, as many again for later ones.
    package static let envelopeDepthMax = 6
    /// Sessions named in one `hello`.
    package static let helloSessionsMax = 1_000
    /// A name of a host, client, tool or model.
    package static let nameBytesMax = 256
    /// A line that lists show: a title, an operation, a path.
    package static let lineBytesMax = 4 << 10
    /// A text that a person types: a prompt, a reason, an answer.
    package static let textBytesMax = 32 << 10
    /// Pictures of one prompt: what a person compares.
    package static let picturesMax = 4
    /// One picture: one of a screen, of the size that models look at, in colours that a camera gave it.
    package static let pictureBytesMax = 768 << 10
    /// The end of what a running tool has printed.
    package static let outputBytesMax = 4 << 10
    /// All answers of one decision together. With every character escaped, and a signature, a decision still fits one event.
    package static let answersBytesMax = 32 << 10
    /// A device's signature, in whatever encoding.
    package static let signatureBytesMax = 4 << 10
    /// A letter between a client and a host or another client: some keys, names and signatures.
    package static let letterBytesMax = 4 << 10
    /// A terminal's screen: 100 rows of 300 columns, each character in a colour of its own.
    package static let screenBytesMax = 256 << 10
    /// A sealed screen: base64url takes four thirds of it.
    package static let sealedScreenBytesMax = screenBytesMax / 3 * 4 + (1 << 10)
    /// Keys of one message: a paste goes in several.
    package static let keysBytesMax = 4 << 10
    /// Questions in one approval, and choices in one question.
    package static let questionsMax = 64
    /// Modes that an approval offers.
    package static let modesMax = 8
    /// Kinds of actions in one offer: more than there are, for newer hosts.
    package static let steeringActionsMax = 32
    /// In one offer.
    package static let steeringModesMax = 16
    package static let steeringModelsMax = 64
    package static let steeringCommandsMax = 256
    /// Folders in which one host lets sessions be started: a list to choose from.
    package static let projectsMax = 64
    /// Agents that one host can start: more than there are.
    package static let startableMax = 16
    /// Past sessions in one list: what a person looks through, and one event.
    package static let pastSessionsMax = 50
    /// Rules of a host, and patterns of one: as many as its file may have.
    package static let rulesMax = 256
    package static let rulePatternsMax = 64
    /// Rules that every client gets with a host's offer: what a person reads through.
    package static let rulesBytesMax = 16 << 10
    /// Result of `ruleTry`: the calls that a person looks through. With its head it fits one event.
    package static let triedBytesMax = 128 << 10
    /// Commands of one session whose outcome is not known yet.
    package static let steeringOpenMax = 64
    /// Sentences about what a person should look at twice: one would be enough to look.
    package static let risksMax = 8
    /// An agent's own options; agents were seen to have up to four.
    package static let offersMax = 16
    /// Events in one answer to `history`.
    package static let historyEventsMax = 500
    /// A code that a person copies or scans; ours are far shorter.
    package static let pairingCodeBytesMax = 128
    /// A word for what holds a token.
    package static let tokenKindBytesMax = 64
    /// A token, or a page's key, as the relay gives it away.
    package static let secretBytesMax = 1 << 10
    /// A token of APNs in hexadecimal digits: Apple says to assume no length.
    package static let tokenBytesMax = 1_024
    /// Sessions that one device has muted.
    package static let mutedSessionsMax = 1_000
    /// Levels of one budget.
    package static let budgetLevelsMax = 10
    /// Sessions of one host that are named as held: below one message. Beyond that all of the host's are held.
    package static let heldSessionsMax = 10_000
    /// Time for which a client counts as present after its last message, in milliseconds.
    package static let presenceMilliseconds: Int64 = 30_000
}
