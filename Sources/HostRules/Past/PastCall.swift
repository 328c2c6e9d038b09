/// A past call, and a person's answer to it.
package struct PastCall {
    package enum Answer: String, Sendable { case allowed, denied }

    package var call: RuleCall
    /// Time of the request, so that hours and days of rules apply as they would have.
    package var moment: RuleMoment
    /// The person's answer; nil if there was none.
    package var answer: Answer?

    package init(_ call: RuleCall, at moment: RuleMoment, answer: Answer?) {
        self.call = call
        self.moment = moment
        self.answer = answer
    }

    package func verdict(of book: RuleBook, look: (String) -> String?) -> RuleBook.Verdict {
        book.judge(call, at: moment, allows: call.mayBeAllowed, look: look)
    }
}
