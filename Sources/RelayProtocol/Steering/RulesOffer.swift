/// A host's rules, as its owner wrote them.
package struct RulesOffer: Sendable, Equatable {
    /// The rules in the file's order; those that exceed the limit are left out at its end.
    package var rules: [RuleOffer]
    /// True if the owner has accepted this file. Otherwise no rule allows anything.
    package var isAccepted: Bool
    /// Number of rules that are left out.
    package var more: Int

    package init(_ rules: [RuleOffer], isAccepted: Bool) {
        var room = WireLimits.rulesBytesMax
        let shown = rules.prefix(WireLimits.rulesMax).prefix { rule in
            room -= rule.bytes.count
            return room >= 0
        }
        self.rules = Array(shown)
        self.isAccepted = isAccepted
        more = rules.count - shown.count
    }

    init(from value: JSONValue) throws(WireError) {
        isAccepted = try value.object().flag("accepted")
        rules = []
        for entry in try value.array("list", countMax: WireLimits.rulesMax) { rules.append(try RuleOffer(from: entry)) }
        more = value.optional("more") == nil ? 0 : Int(try value.integer("more", in: 0...Int64(WireLimits.rulesMax)))
    }

    func write(to writer: inout JSONWriter) {
        writer.flag("accepted", isAccepted)
        writer.array("list", rules.map(\.bytes))
        if more > 0 { writer.field("more", Int64(more)) }
    }

    /// True if a rule can be switched off remotely: it allows, and is not off yet.
    package var hasRulesToSwitchOff: Bool { more > 0 || rules.contains { $0.answer == "allow" && !$0.isOff } }
}

/// One of a host's rules.
package struct RuleOffer: Sendable, Equatable {
    package var name: String
    /// `allow`, `deny`, `ask` or `passkey`; a string, so that a newer host's value does not make the offer undecodable.
    package var answer: String
    package var patterns: [String]
    package var words: String?
    package var folder: String?
    package var agent: String?
    package var hours: String?
    package var until: String?
    package var times: Int?
    /// Calls that it still allows, if it has `times`; nil if that is not known.
    package var left: Int?
    /// Switched off remotely: allows nothing until the owner accepts the file again.
    package var isOff = false

    package init(name: String, answer: String, patterns: [String]) {
        self.name = name
        self.answer = answer
        self.patterns = patterns
    }

    init(from value: JSONValue) throws(WireError) {
        name = try value.object().string("name", bytesMax: WireLimits.nameBytesMax)
        answer = try value.string("answer", bytesMax: WireLimits.nameBytesMax)
        patterns = []
        for entry in try value.array("for", countMax: WireLimits.rulePatternsMax) {
            patterns.append(try entry.string(bytesMax: WireLimits.lineBytesMax))
        }
        words = try value.optionalString("words", bytesMax: WireLimits.lineBytesMax)
        folder = try value.optionalString("folder", bytesMax: WireLimits.lineBytesMax)
        agent = try value.optionalString("agent", bytesMax: WireLimits.nameBytesMax)
        hours = try value.optionalString("hours", bytesMax: WireLimits.nameBytesMax)
        until = try value.optionalString("until", bytesMax: WireLimits.nameBytesMax)
        times = try value.optionalInteger("times", in: 0...WireLimits.ruleTimesMax).map { Int($0) }
        left = try value.optionalInteger("left", in: 0...WireLimits.ruleTimesMax).map { Int($0) }
        isOff = try value.flag("off")
    }

    /// The rule as JSON; a command prints it too.
    package var bytes: [UInt8] {
        JSONWriter.object {
            $0.field("name", name)
            $0.field("answer", answer)
            $0.strings("for", patterns)
            $0.field("words", words)
            $0.field("folder", folder)
            $0.field("agent", agent)
            $0.field("hours", hours)
            $0.field("until", until)
            $0.field("times", times.map { Int64($0) })
            $0.field("left", left.map { Int64($0) })
            $0.flag("off", isOff)
        }
    }
}
