internal import HostCore

/// Limits of messages over the local protocol, each with its reason.
package struct LocalLimits: Sendable {
    /// A question that sets no time is open for an hour, like one of an agent without a terminal. A connection that broke while this
    /// daemon lived was closed by the program: its question is taken back as soon as one that reconnects would be here.
    ///
    /// A program waits 20 s for a relay that is away: after one of 5 s the host is back within 16 s, the sum of its waits between tries.
    var approvals = {
        var limits = ApprovalLimits(life: .seconds(3_600), headlessLife: .seconds(3_600), lossGrace: .seconds(1))
        limits.headlessUnreachable = .seconds(20)
        return limits
    }()
    /// The longest that a question may be open: a day.
    package static let waitSecondsMax: Int64 = 86_400
    /// A program that did not get its answer asks again within this; later, the same question is another one, and people are asked.
    package var askAgainWithin = Duration.seconds(10)
    /// Handed over and not settled. Programs may never report the outcome of an answer; beyond this the oldest counts as unknown, so that
    /// there is room for the next question.
    package var answeredMax = 128

    /// Lines of one request: as many events as one message to the relay holds.
    package static let linesMax = 256
    /// One request of events: it is looked through for secrets while hooks wait for the same thread.
    package static let requestBytesMax = 1 << 20
    /// The end of a running tool's output: as much as is searched for secrets.
    package static let outputBytesMax = 16 << 10
    /// The name that a program gives a session or a question.
    package static let nameBytesMax = 256
    /// Options that one question offers.
    package static let optionsMax = 32
    /// Known at a time, ended ones included; this many live ones are a mistake.
    package var sessionsMax = 1_000

    /// Bytes of an event's body: the head, at its longest, has the rest.
    var bodyBytes = 192 << 10
    /// A question's input is an approval's. Its questions are in the body, and their choices in the head.
    var texts = TextLimits()
    /// A killed program sends nothing; people look at an open question, so it is noticed soon.
    var agentCheckOpen = Duration.seconds(1)
    var agentCheckIdle = Duration.seconds(15)

    package init() {}
}
