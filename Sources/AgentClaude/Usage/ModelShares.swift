internal import HostCore
internal import RelayProtocol

/// Usage of models whose price Claude Code does not know, by model.
struct ModelShares: Equatable {
    struct Share: Equatable {
        /// The price of another model, which Claude Code uses instead.
        var guessMicroUSD: Int64 = 0
        var tokens = Tokens()
    }

    /// Models that are counted: a conversation has one or two. Further ones count as known, and so in budgets.
    static let modelsMax = 8

    private(set) var byModel: [String: Share] = [:]

    var isEmpty: Bool { byModel.isEmpty }

    mutating func add(_ model: String, guessMicroUSD: Int64 = 0, _ tokens: Tokens = Tokens()) {
        let name = TextCut.line(model, bytesMax: WireLimits.nameBytesMax)
        guard !ClaudePrices.know(name), byModel[name] != nil || byModel.count < Self.modelsMax else { return }
        var share = byModel[name] ?? Share()
        share.guessMicroUSD += guessMicroUSD
        share.tokens = share.tokens.plus(tokens)
        byModel[name] = share
    }

    mutating func add(_ other: ModelShares) {
        for (model, share) in other.byModel { add(model, guessMicroUSD: share.guessMicroUSD, share.tokens) }
    }

    func less(_ other: ModelShares) -> ModelShares {
        var rest = self
        for (model, share) in other.byModel {
            guard let mine = rest.byModel[model] else { continue }
            let guess = max(0, mine.guessMicroUSD - share.guessMicroUSD)
            rest.byModel[model] = Share(guessMicroUSD: guess, tokens: mine.tokens.less(share.tokens))
        }
        return rest
    }

    /// The cost by the owner's prices, if there are any, and the estimate for models without one.
    func cost(by prices: ModelPrices) -> (ownMicroUSD: Int64?, guessMicroUSD: Int64) {
        var own: Int64?
        var guess: Int64 = 0
        for (model, share) in byModel {
            if let price = prices.byModel[model] {
                own = min((own ?? 0) + price.microUSD(share.tokens), ClaudeUsage.costMicroUSDMax)
            } else {
                guess += share.guessMicroUSD
            }
        }
        return (own, guess)
    }

    var guessMicroUSD: Int64 { byModel.values.reduce(0) { $0 + $1.guessMicroUSD } }

    // MARK: Over a restart

    func write(to writer: inout JSONWriter) {
        guard !isEmpty else { return }
        let shares = byModel.sorted { $0.key < $1.key }.map { model, share in
            JSONWriter.object { writer in
                writer.field("model", model)
                writer.field("guess", share.guessMicroUSD)
                writer.object("tokens") { share.tokens.write(to: &$0) }
            }
        }
        writer.array("unpriced", shares)
    }

    init() {}

    init(from value: JSONValue) {
        for entry in value.list("unpriced") {
            guard let model = entry.text("model") else { continue }
            let tokens = entry.optional("tokens").flatMap { try? Tokens(from: $0) } ?? Tokens()
            add(model, guessMicroUSD: max(0, entry.whole("guess") ?? 0), tokens)
        }
    }
}
