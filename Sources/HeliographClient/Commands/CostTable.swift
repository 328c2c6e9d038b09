internal import RelayProtocol

/// Costs as a table, and as CSV.
enum CostTable {
    struct Row: Equatable {
        /// The row's name; empty if it has none.
        var name: String
        var sum: CostSum
    }

    static func rows(of report: CostReport, by dimension: CostOptions.Dimension, days: [LocalDay]) -> [Row] {
        func rows(_ shares: [CostReport.Share]) -> [Row] { shares.map { Row(name: $0.name ?? "", sum: $0.sum) } }
        let named: [Row]
        switch dimension {
        case .day:
            return report.days.compactMap { day in
                guard days.indices.contains(Int(day.index)) else { return nil }
                return Row(name: "\(days[Int(day.index)])", sum: day.models.reduce(CostSum()) { $0.plus($1.sum) })
            }
        case .model: named = rows(report.models)
        case .project: named = rows(report.projects)
        case .host: named = rows(report.hosts)
        case .agent: named = rows(report.agents)
        case .session: named = report.sessions.map { Row(name: $0.session.rawValue, sum: $0.sum) }
        }
        guard let rest = rest(of: report.total, without: named) else { return named }
        return named + [Row(name: others, sum: rest)]
    }

    /// The row of all that the relay does not name, so that rows add up to the total.
    static let others = "others"

    private static func rest(of total: CostSum, without rows: [Row]) -> CostSum? {
        let named = rows.reduce(CostSum()) { $0.plus($1.sum) }
        let cost = (total.costMicroUSD ?? 0) - (named.costMicroUSD ?? 0)
        let rest = CostSum(
            costMicroUSD: cost > 0 ? cost : nil, estimateMicroUSD: max(0, total.estimateMicroUSD - named.estimateMicroUSD),
            tokens: total.tokens.less(named.tokens), unpricedTokens: max(0, total.unpricedTokens - named.unpricedTokens))
        return rest == CostSum() ? nil : rest
    }

    /// `short` shortens the names of sessions.
    static func table(
        _ rows: [Row], total: CostSum, by dimension: CostOptions.Dimension, short: (String) -> String
    ) -> TextTable {
        var table = TextTable([
            .init(dimension.rawValue.uppercased(), flexibleMin: 10), .init("COST", alignsRight: true),
            .init("GUESSED", alignsRight: true), .init("INPUT", alignsRight: true), .init("OUTPUT", alignsRight: true),
            .init("CACHE READ", alignsRight: true, isOptional: true),
            .init("CACHE WRITTEN", alignsRight: true, isOptional: true),
        ])
        func add(_ name: String, _ sum: CostSum, _ style: Style?) {
            table.rows.append([
                .init(name, style), .init(cost(sum)),
                .init(sum.estimateMicroUSD > 0 ? "~" + Moment.money(microUSD: sum.estimateMicroUSD) : ""),
                .init(sum.tokens.input.grouped()), .init(sum.tokens.output.grouped()), .init(sum.tokens.cacheRead.grouped()),
                .init(sum.tokens.cacheWrite.grouped()),
            ])
        }
        for row in rows {
            let name = dimension == .session && row.name != others ? short(row.name) : row.name
            add(name.isEmpty ? "none" : VisibleText.line(name), row.sum, .cyan)
        }
        add("total", total, nil)
        return table
    }

    /// `$1.00 + 90,000,000 tokens`: what has no price is not free.
    private static func cost(_ sum: CostSum) -> String {
        let money = sum.costMicroUSD.map { Moment.money(microUSD: $0) }
        let unpriced = sum.unpricedTokens > 0 ? "\(sum.unpricedTokens.grouped()) tokens" : nil
        let parts = [money, unpriced].compactMap(\.self)
        return parts.isEmpty ? "unknown" : parts.joined(separator: " + ")
    }

    /// The rows as CSV (RFC 4180): dollars with six decimals, and nothing for an unknown price.
    static func csv(_ rows: [Row], by dimension: CostOptions.Dimension) -> [String] {
        let head =
            "\(dimension.rawValue),cost_usd,estimate_usd,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens"
            + ",unpriced_tokens"
        return [head]
            + rows.map { row in
                let tokens = row.sum.tokens
                return
                    ([quoted(row.name), row.sum.costMicroUSD.map(dollars) ?? "", dollars(row.sum.estimateMicroUSD)]
                    + [tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite, row.sum.unpricedTokens].map {
                        String($0)
                    }).joined(
                        separator: ",")
            }
    }

    private static func dollars(_ microUSD: Int64) -> String {
        let rest = String(microUSD % 1_000_000)
        return "\(microUSD / 1_000_000)." + String(repeating: "0", count: 6 - rest.count) + rest
    }

    /// Quotes a text. A spreadsheet takes text that begins with one of these signs for a formula.
    private static func quoted(_ text: String) -> String {
        let line = VisibleText.line(text)
        let harmless = line.first.map { "=+-@".contains($0) } == true ? "'" + line : line
        guard harmless.contains(where: { $0 == "," || $0 == "\"" }) else { return harmless }
        return "\"" + harmless.replacing("\"", with: "\"\"") + "\""
    }
}
