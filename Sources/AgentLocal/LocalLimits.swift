internal import HostCore

/// Limits of messages over the local protocol, each with its reason.
package struct LocalLimits: Sendable {
    /// A question without a time of its own is open for an hour, like one of an agent without a terminal. A connection that broke
    /// while this daemon lived was closed by the program, so its question is withdrawn as soon as a reconnecting program would be
    /// back.
    ///
    /// A program waits 20 s for a relay that is away: after an absence of 5 s the host is back within 16 s, the sum of its delays
    /// between tries.
    var approvals = {
        var limits = ApprovalLimits(life: .seconds(3_600), headlessLife: .seconds(3_600), lossGrace: .seconds(1))
        limits.headlessUnreachable = .seconds(20)
        return limits
    }()
    /// Longest time for which a question may be open, in seconds: a day.
    package static let waitSecondsMax: Int64 = 86_400
    /// Time in which a program that did not get its answer asks again. After it, the same question is a new one, and people are
    /// asked.
    package var askAgainWithin = Duration.seconds(10)
    /// Answers that were handed over and not settled. Programs may never report an outcome; beyond this the oldest counts as
    /// unknown, so that there is room for the next question.
    package var answeredMax = 128
    /// Questions whose calls have not begun, and calls about which nobody was asked, of one session; most programs have a few.
    var askedCallsMax = 64

    /// Lines of one request: as many events as one message to the relay may contain.
    package static let linesMax = 256
    /// Bytes of one request of events, which is searched for secrets while hooks wait for the same thread.
    package static let requestBytesMax = 1 << 20
    /// Bytes of a running tool's output, of which the end is kept: as much as is searched for secrets.
    package static let outputBytesMax = 16 << 10
    /// Bytes of a program's name of a session or a question.
    package static let nameBytesMax = 256
    /// Options that one question offers.
    package static let optionsMax = 32
    /// Sessions known at a time, ended ones included; so many live ones would be a mistake.
    package var sessionsMax = 1_000

    /// Bytes of an event's body; the rest of the event is enough for the longest head.
    var bodyBytes = 192 << 10
    /// Limits of shown texts. A question's input has that of an approval; its questions are in the body, and their choices in the
    /// head.
    var texts = TextLimits()
    /// Intervals at which programs' processes are checked, because a killed program reports nothing. Shorter while a question is
    /// open, at which people look.
    var agentCheckOpen = Duration.seconds(1)
    var agentCheckIdle = Duration.seconds(15)

    package init() {}
}
