package import HostRules
package import RelayProtocol

extension RulesOffer {
    init(_ kept: KeptRules, uses: RuleUses = RuleUses()) {
        // A rule that was changed is shown as it is in the file.
        let names = Set(kept.book.rules.map(\.name))
        let shown = kept.book.rules + kept.former.filter { !names.contains($0.name) }
        let offers = shown.map { rule in
            var offer = RuleOffer(rule, isOff: kept.isOff(rule))
            offer.left = uses.left(of: rule)
            return offer
        }
        self.init(offers, isAccepted: kept.isAccepted)
    }
}

extension RuleOffer {
    /// The rule in its form on the wire. A text that is too long for it is cut.
    package init(_ rule: Rule, isOff: Bool) {
        func line(_ text: String) -> String { TextCut.line(text, bytesMax: WireLimits.lineBytesMax) }
        self.init(name: rule.name, answer: rule.answer.rawValue, patterns: rule.patterns.map { line($0.text) })
        words = rule.words.map(line)
        folder = rule.folder.map(line)
        (agent, hours, until, times) = (rule.agent, rule.hours?.text, rule.until, rule.times)
        self.isOff = isOff
    }
}
