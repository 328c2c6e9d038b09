/// The owner's standing answer to tool calls.
package struct Rule: Equatable, Sendable {
    package enum Answer: String, Sendable, CaseIterable {
        case allow, deny, ask
        /// Asks a person, whose passkey has to confirm an allow.
        case passkey
    }

    package var name: String
    package var answer: Answer
    package var patterns: [RulePattern]
    /// A message for the agent's model if the answer is `deny`; nil for none.
    package var words: String?
    /// Folder of the sessions to which it applies, with those below; nil for all.
    package var folder: String?
    /// Name of the agent's adapter; nil for all.
    package var agent: String?
    /// Part of the host's day in which it applies, in minutes; over midnight if the end is before the begin.
    package var hours: RuleHours?
    /// Last day on which it applies, `YYYY-MM-DD` at the host.
    package var until: String?
    /// Calls that it allows, ever; nil for any number.
    package var times: Int?

    func holds(for call: RuleCall, at moment: RuleMoment, look: (String) -> String?) -> Bool {
        if let agent, agent != call.agent { return false }
        if let until, moment.day > until { return false }
        if let hours, !hours.contains(moment.minute) { return false }
        guard let folder else { return true }
        // In an unknown folder an allow does not apply, but the other answers do.
        guard let place = call.folder else { return answer != .allow }
        let (wanted, here) = (RulePath.expanded(folder, home: call.home), RulePath.normalized(place))
        guard answer != .allow else { return RulePath.isInside(wanted, here) }
        let all = [wanted, look(wanted).map(RulePath.normalized) ?? wanted].map { $0.lowercased() }
        let places = [here, look(here).map(RulePath.normalized) ?? here].map { $0.lowercased() }
        return all.contains { wanted in places.contains { RulePath.isInside(wanted, $0) } }
    }
}

package struct RuleHours: Equatable, Sendable {
    package var begin: Int
    package var end: Int

    package init(begin: Int, end: Int) {
        self.begin = begin
        self.end = end
    }

    /// The hours as the file spells them: `09:00-18:00`.
    package var text: String { "\(Self.clock(begin))-\(Self.clock(end))" }

    package static func clock(_ minute: Int) -> String {
        [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    func contains(_ minute: Int) -> Bool { begin <= end ? begin <= minute && minute < end : minute >= begin || minute < end }
}

/// The time at which a call is judged, by the host's own clock and calendar.
package struct RuleMoment: Equatable, Sendable {
    /// The day as `YYYY-MM-DD`.
    package var day: String
    package var minute: Int

    package init(day: String, minute: Int) {
        self.day = day
        self.minute = minute
    }
}
