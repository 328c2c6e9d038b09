/// Evidence of an agent about one question; the desk draws the conclusion.
///
/// | shown | not answered by us | our allow or answer | our deny |
/// |---|---|---|---|
/// | carriedOut | allowedLocally, answeredLocally | ran, if an edited call has our texts; answered if the answers are ours, else stale | stale |
/// | reported, a rejection | deniedLocally | stale | stale |
/// | reported, our denial | | | denied |
/// | reported, anything else | answeredLocally | stale: that it ran was not shown | stale |
/// | turnEnded | turnEnded | ran if it was seen under way, else stale | denied: it did not run |
/// | answeredAtTerminal | answeredLocally | stale | stale |
/// | deniedAtTerminal | deniedLocally | stale | denied |
/// | dialogStays | hookEnded | | |
/// | answersTaken | answeredLocally | answered; ran, of an edited call | stale |
/// | withdrawn | withdrawn | stale | stale |
package enum ApprovalEvidence {
    /// The agent's report of the call to its model.
    package enum Report { case rejection, ourDenial, other }

    /// The call is over, or the question is answered; `answers` by question, if they are known. Of an edited call: its texts.
    case carriedOut(answers: [(question: String, value: String)]?, failed: Bool)
    case reported(Report)
    /// Everything asked in the turn is over; `wentOn` if the agent was seen working after the question.
    case turnEnded(wentOn: Bool)
    case answeredAtTerminal
    case deniedAtTerminal
    /// The hook is gone, and the agent's own dialog still asks.
    case dialogStays
    /// The agent reports that it continues with the answers, or the edited input, that it was handed.
    case answersTaken
    /// The agent withdrew the question, or reports that it does not know its outcome.
    case withdrawn
}
