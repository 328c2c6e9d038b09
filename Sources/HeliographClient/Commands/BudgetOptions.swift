internal import RelayProtocol

/// A budget as a person asks for it on the command line.
package struct BudgetOptions: Sendable {
    package enum Scope: Sendable, Equatable {
        /// A session's id, or the beginning of it.
        case session(String)
        case everySession, day, workspace
    }

    package var scope: Scope
    /// The limit in micro-dollars; 0 removes the budget.
    package var microUSD: Int64
    /// Alert levels in percent, ascending; nil for the usual ones.
    package var levels: [Int64]?
    package var holds = false

    package init(_ scope: Scope, microUSD: Int64) {
        self.scope = scope
        self.microUSD = microUSD
    }

    /// Reads dollars with at most six decimals: `5`, `0.25`, `$12.50`. Nil if it is not such an amount, or zero.
    package static func microUSD(_ text: String) -> Int64? {
        let digits = text.hasPrefix("$") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, (1...9).contains(whole.utf8.count), let dollars = Int64(digits: whole) else {
            return nil
        }
        var fraction: Int64 = 0
        if parts.count == 2 {
            guard (1...6).contains(parts[1].utf8.count) else { return nil }
            let padded = parts[1] + String(repeating: "0", count: 6 - parts[1].utf8.count)
            guard let value = Int64(digits: padded) else { return nil }
            fraction = value
        }
        let amount = dollars * 1_000_000 + fraction
        return amount > 0 ? amount : nil
    }

    /// Reads `50,80,100`: whole percents from 1 to 1,000, ascending. Nil for other text.
    package static func levels(_ text: String) -> [Int64]? {
        var levels: [Int64] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let level = Int64(digits: part), (1...1_000).contains(level), level > levels.last ?? 0 else { return nil }
            levels.append(level)
        }
        return levels.count <= WireLimits.budgetLevelsMax ? levels : nil
    }
}

extension Int64 {
    /// Reads digits only, without sign or space.
    fileprivate init?(digits text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        self.init(text)
    }
}
