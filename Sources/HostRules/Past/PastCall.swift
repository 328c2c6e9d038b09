/// A call of an earlier day, and a person's answer to it.
package struct PastCall {
    package enum Answer: String, Sendable { case allowed, denied }

    package var call: RuleCall
    /// The time at which it was asked, so that hours and days of rules count as they would have.
    package var moment: RuleMoment
    /// Nil if no person answered it.
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
