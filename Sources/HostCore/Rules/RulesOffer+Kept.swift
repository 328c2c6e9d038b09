package import HostRules
package import RelayProtocol

extension RulesOffer {
    init(_ kept: KeptRules) {
        self.init(kept.book.rules.map { RuleOffer($0, isOff: kept.isOff($0)) }, isAccepted: kept.isAccepted)
    }
}

extension RuleOffer {
    /// The rule in its form on the wire. A text that is too long for it is cut.
    package init(_ rule: Rule, isOff: Bool) {
        func line(_ text: String) -> String { TextCut.line(text, bytesMax: WireLimits.lineBytesMax) }
        self.init(name: rule.name, answer: rule.answer.rawValue, patterns: rule.patterns.map { line($0.text) })
        words = rule.words.map(line)
        folder = rule.folder.map(line)
        (agent, hours, until) = (rule.agent, rule.hours?.text, rule.until)
        self.isOff = isOff
    }
}
