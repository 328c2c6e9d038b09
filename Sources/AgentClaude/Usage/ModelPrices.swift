internal import RelayProtocol

/// Prices that the host's owner has set for models that Claude Code does not know.
package struct ModelPrices: Equatable, Sendable {
    /// A price in micro-dollars for a million tokens.
    package struct Price: Equatable, Sendable {
        package var input: Int64
        package var output: Int64
        package var cacheRead: Int64
        package var cacheWrite: Int64

        package init(input: Int64, output: Int64, cacheRead: Int64, cacheWrite: Int64) {
            (self.input, self.output, self.cacheRead, self.cacheWrite) = (input, output, cacheRead, cacheWrite)
        }

        func microUSD(_ tokens: Tokens) -> Int64 {
            let parts = [
                (input, tokens.input), (output, tokens.output), (cacheRead, tokens.cacheRead), (cacheWrite, tokens.cacheWrite),
            ]
            let sum = parts.reduce(0.0) { $0 + Double($1.0) * Double($1.1) } / 1_000_000
            return Int64(min(sum, Double(ClaudeUsage.costMicroUSDMax)).rounded())
        }
    }

    package var byModel: [String: Price]

    package init(_ byModel: [String: Price] = [:]) { self.byModel = byModel }
}
