/// What an agent showed of one question; the desk knows what follows.
///
/// | shown | not answered by us | our allow or answer | our deny |
/// |---|---|---|---|
/// | carriedOut | allowedLocally, answeredLocally | ran; answered if the answers are ours, else stale | stale |
/// | reported, a rejection | deniedLocally | stale | stale |
/// | reported, our denial | | | denied |
/// | reported, anything else | answeredLocally | stale: that it ran was not shown | stale |
/// | turnEnded | turnEnded | ran where it was seen under way, else stale | denied: it did not run |
/// | answeredAtTerminal | answeredLocally | stale | stale |
/// | deniedAtTerminal | deniedLocally | stale | denied |
/// | dialogStays | hookEnded | | |
/// | answersTaken, of a question | answeredLocally | answered | stale |
/// | withdrawn | withdrawn | stale | stale |
package enum ApprovalEvidence {
    /// What the model was told of the call.
    package enum Report { case rejection, ourDenial, other }

    /// The call was over, or the question answered: with these answers by question, where they are known.
    case carriedOut(answers: [(question: String, value: String)]?, failed: Bool)
    case reported(Report)
    /// All that was asked in it is over; `wentOn` where the agent was seen working after the question.
    case turnEnded(wentOn: Bool)
    case answeredAtTerminal
    case deniedAtTerminal
    /// The hook is gone, and the agent's own dialog still asks.
    case dialogStays
    /// It says that it goes on with the answers that it was handed.
    case answersTaken
    /// It took the question back, or says that it does not know what became of it.
    case withdrawn
}
