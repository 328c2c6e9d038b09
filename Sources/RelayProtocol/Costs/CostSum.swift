/// Cost and tokens of an event, a model, a day or another total.
package struct CostSum: Sendable, Equatable {
    /// Nil if no cost was reported: the model has no known price, and a zero would be wrong.
    package var costMicroUSD: Int64?
    /// Estimates of agents for models whose price they do not know, in addition to the cost. Negative if an estimate was lowered,
    /// or has become a cost.
    package var estimateMicroUSD: Int64 = 0
    package var tokens = Tokens()
    /// The part of `tokens` that has neither a cost nor an estimate. Only reports count them.
    package var unpricedTokens: Int64 = 0

    package init(
        costMicroUSD: Int64? = nil, estimateMicroUSD: Int64 = 0, tokens: Tokens = Tokens(), unpricedTokens: Int64 = 0
    ) {
        self.costMicroUSD = costMicroUSD
        self.estimateMicroUSD = estimateMicroUSD
        self.tokens = tokens
        self.unpricedTokens = unpricedTokens
    }

    package mutating func add(_ other: CostSum) {
        if let cost = other.costMicroUSD { costMicroUSD = (costMicroUSD ?? 0).sumSaturating(cost) }
        estimateMicroUSD = estimateMicroUSD.sumSaturating(other.estimateMicroUSD)
        tokens = tokens.plus(other.tokens)
        unpricedTokens = unpricedTokens.sumSaturating(other.unpricedTokens)
    }

    package func plus(_ other: CostSum) -> CostSum {
        var sum = self
        sum.add(other)
        return sum
    }

    /// The difference to an earlier sum; nil if there is none.
    package func growth(since before: CostSum) -> CostSum? {
        let growth = CostSum(
            costMicroUSD: costMicroUSD == before.costMicroUSD ? nil : (costMicroUSD ?? 0) - (before.costMicroUSD ?? 0),
            estimateMicroUSD: estimateMicroUSD - before.estimateMicroUSD, tokens: tokens.less(before.tokens))
        return growth == CostSum() ? nil : growth
    }

    package init(from value: JSONValue) throws(WireError) { try self.init(from: value, estimates: 0...JSONValue.integerMax) }

    /// Decodes the sum of a part, whose estimates may be negative.
    package init(stored value: JSONValue) throws(WireError) {
        try self.init(from: value, estimates: -JSONValue.integerMax...JSONValue.integerMax)
    }

    private init(from value: JSONValue, estimates: ClosedRange<Int64>) throws(WireError) {
        costMicroUSD = try value.object().optionalInteger("costMicroUSD")
        estimateMicroUSD = try value.optionalInteger("estimateMicroUSD", in: estimates) ?? 0
        if let tokens = value.optional("tokens") { self.tokens = try Tokens(from: tokens) }
        unpricedTokens = try value.optionalInteger("unpricedTokens") ?? 0
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("costMicroUSD", costMicroUSD)
        writer.field("estimateMicroUSD", estimateMicroUSD == 0 ? nil : estimateMicroUSD)
        if tokens != Tokens() { writer.object("tokens") { tokens.write(to: &$0) } }
        writer.field("unpricedTokens", unpricedTokens == 0 ? nil : unpricedTokens)
    }

    /// The sum with negative estimates shown as zero: an estimate that was taken back on a later day would make that day's
    /// negative.
    package var shown: CostSum {
        var shown = self
        shown.estimateMicroUSD = max(0, estimateMicroUSD)
        return shown
    }

    /// Order of lists: the higher cost first; at equal cost, the one with more tokens. A token without a price counts as a
    /// micro-dollar, which is about what models cost: otherwise the most used model would be last.
    package func isDearer(than other: CostSum) -> Bool {
        func rank(_ sum: CostSum) -> Int64 {
            ((sum.costMicroUSD ?? 0) + sum.estimateMicroUSD).sumSaturating(sum.unpricedTokens)
        }
        let (mine, others) = (rank(self), rank(other))
        return mine == others ? tokens.sum > other.tokens.sum : mine > others
    }
}

extension Summary {
    package var spent: CostSum {
        CostSum(costMicroUSD: costMicroUSD, estimateMicroUSD: estimateMicroUSD ?? 0, tokens: tokens ?? Tokens())
    }
}

extension Tokens {
    package var sum: Int64 { input.sumSaturating(output).sumSaturating(cacheRead).sumSaturating(cacheWrite) }
}
