/// Cost and tokens of something: an event, a model, a day.
package struct CostSum: Sendable, Equatable {
    /// Nil if no cost was reported: the model has no known price, and a zero would be wrong.
    package var costMicroUSD: Int64?
    /// In addition to the cost: what agents guess for models whose price they do not know. Below zero if a guess was lowered, or has
    /// become a cost.
    package var estimateMicroUSD: Int64 = 0
    package var tokens = Tokens()

    package init(costMicroUSD: Int64? = nil, estimateMicroUSD: Int64 = 0, tokens: Tokens = Tokens()) {
        self.costMicroUSD = costMicroUSD
        self.estimateMicroUSD = estimateMicroUSD
        self.tokens = tokens
    }

    package mutating func add(_ other: CostSum) {
        if let cost = other.costMicroUSD { costMicroUSD = (costMicroUSD ?? 0).sumSaturating(cost) }
        estimateMicroUSD = estimateMicroUSD.sumSaturating(other.estimateMicroUSD)
        tokens = tokens.plus(other.tokens)
    }

    package func plus(_ other: CostSum) -> CostSum {
        var sum = self
        sum.add(other)
        return sum
    }

    /// What has been added since; nil if nothing has.
    package func growth(since before: CostSum) -> CostSum? {
        let growth = CostSum(
            costMicroUSD: costMicroUSD == before.costMicroUSD ? nil : (costMicroUSD ?? 0) - (before.costMicroUSD ?? 0),
            estimateMicroUSD: estimateMicroUSD - before.estimateMicroUSD, tokens: tokens.less(before.tokens))
        return growth == CostSum() ? nil : growth
    }

    package init(from value: JSONValue) throws(WireError) { try self.init(from: value, estimates: 0...JSONValue.integerMax) }

    /// Of a part, whose guesses may be below zero.
    package init(stored value: JSONValue) throws(WireError) {
        try self.init(from: value, estimates: -JSONValue.integerMax...JSONValue.integerMax)
    }

    private init(from value: JSONValue, estimates: ClosedRange<Int64>) throws(WireError) {
        costMicroUSD = try value.object().optionalInteger("costMicroUSD")
        estimateMicroUSD = try value.optionalInteger("estimateMicroUSD", in: estimates) ?? 0
        if let tokens = value.optional("tokens") { self.tokens = try Tokens(from: tokens) }
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("costMicroUSD", costMicroUSD)
        writer.field("estimateMicroUSD", estimateMicroUSD == 0 ? nil : estimateMicroUSD)
        if tokens != Tokens() { writer.object("tokens") { tokens.write(to: &$0) } }
    }

    /// A guess that was taken back on a later day makes that day's guesses negative, which nobody wants to read.
    package var shown: CostSum {
        CostSum(costMicroUSD: costMicroUSD, estimateMicroUSD: max(0, estimateMicroUSD), tokens: tokens)
    }

    /// For the order of lists: the dearer first, and among those without a price the larger.
    package func isDearer(than other: CostSum) -> Bool {
        let (mine, others) = ((costMicroUSD ?? 0) + estimateMicroUSD, (other.costMicroUSD ?? 0) + other.estimateMicroUSD)
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
