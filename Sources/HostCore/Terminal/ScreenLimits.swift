/// Limits of what clients see of a terminal, in milliseconds, each with its reason.
package struct ScreenLimits: Sendable {
    /// Between two drawings: what an eye follows, and what a phone draws.
    var drawEvery: Int64 = 100
    /// From a change to its drawing: a program that draws a screen writes it in several pieces.
    var settleFor: Int64 = 12
    /// A program that says that it is still drawing is believed for so long.
    var unfinishedFor: Int64 = 250
    /// A look is answered within this time also if nothing changes: its sender knows then that it is connected, and asks again.
    var answerWithin: Int64 = 10_000
    /// Looks at a time: a few people with two devices each.
    var looksMax = 16

    package init() {}
}
