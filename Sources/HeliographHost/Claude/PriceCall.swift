internal import AgentClaude
package import HeliographHook
internal import HostCore
internal import RelayProtocol

/// `heliograph cost price`: the owner's prices for models that Claude Code does not know.
package enum PriceCall {
    /// Prices in dollars for a million tokens.
    package struct Dollars {
        package var input: Double
        package var output: Double
        package var cacheRead: Double?
        package var cacheWrite: Double?

        package init(input: Double, output: Double, cacheRead: Double?, cacheWrite: Double?) {
            (self.input, self.output, self.cacheRead, self.cacheWrite) = (input, output, cacheRead, cacheWrite)
        }
    }

    /// Sets a model's prices. Returns the text for the person. Cached tokens cost the same as others unless given.
    package static func set(_ model: String, _ dollars: Dollars, paths: HostPaths = HostPaths()) throws(HostError) -> String {
        guard (1...WireLimits.nameBytesMax).contains(model.utf8.count), VisibleText.line(model) == model else {
            throw HostError(.badInput, "that is no name of a model")
        }
        guard !ClaudePrices.know(model) else {
            throw HostError(.badInput, "Claude Code has prices of its own for \(model), and those count")
        }
        let price = ModelPrices.Price(
            input: try microUSD(dollars.input), output: try microUSD(dollars.output),
            cacheRead: try microUSD(dollars.cacheRead ?? dollars.input),
            cacheWrite: try microUSD(dollars.cacheWrite ?? dollars.input))
        try PricesFile(paths).update { (prices) throws(HostError) in
            guard prices.byModel[model] != nil || prices.byModel.count < PricesFile.modelsMax else {
                throw HostError(.badInput, "\(PricesFile.modelsMax) models have a price already: remove one first")
            }
            prices.byModel[model] = price
        }
        return "\(line(model, price))\nWhat Claude Code guesses for it no longer counts; budgets count this."
    }

    package static func remove(_ model: String, paths: HostPaths = HostPaths()) throws(HostError) -> String {
        try PricesFile(paths).update { (prices) throws(HostError) in
            guard prices.byModel.removeValue(forKey: model) != nil else {
                throw HostError(.badInput, "\(VisibleText.line(model)) has no price here: heliograph cost price")
            }
        }
        return
            "\(VisibleText.line(model)) has no price. What Claude Code guesses for it is shown as a guess, and is in no budget."
    }

    /// The prices, one line each, or as JSON.
    package static func list(isJSON: Bool, paths: HostPaths = HostPaths()) throws(HostError) -> String {
        let prices = try PricesFile(paths).read()
        guard !isJSON else {
            return JSONLine.text(JSONWriter.object { $0.array("prices", PricesFile.entries(of: prices)) })
        }
        guard !prices.byModel.isEmpty else {
            return "no prices: what Claude Code guesses for models that it does not know is in no budget"
        }
        return prices.byModel.sorted { $0.key < $1.key }.map { line($0.key, $0.value) }.joined(separator: "\n")
    }

    private static func microUSD(_ dollars: Double) throws(HostError) -> Int64 {
        guard dollars >= 0, dollars * 1_000_000 <= Double(PricesFile.microUSDMax) else {
            throw HostError(
                .badInput, "a price is from 0 to \(PricesFile.microUSDMax / 1_000_000) dollars for a million tokens")
        }
        return Int64((dollars * 1_000_000).rounded())
    }

    private static func line(_ model: String, _ price: ModelPrices.Price) -> String {
        func dollars(_ microUSD: Int64) -> String {
            let rest = String(microUSD % 1_000_000)
            let padded = String(repeating: "0", count: 6 - rest.count) + rest
            let digits = max(2, padded.reversed().drop { $0 == "0" }.count)
            return "$\(microUSD / 1_000_000).\(padded.prefix(digits))"
        }
        return "\(VisibleText.line(model)): for a million tokens \(dollars(price.input)) in, \(dollars(price.output)) out, "
            + "\(dollars(price.cacheRead)) read from a cache, \(dollars(price.cacheWrite)) written to one"
    }
}
