import RelayProtocol

/// Sums rows up for one query.
struct CostTally {
    private let query: CostQuery
    private let now: Int64
    private var total = CostSum()
    private var since: UTCDay?
    private var lastHourMicroUSD: Int64 = 0
    private var days: [Int: Sums<String?>] = [:]
    private var models = Sums<String?>()
    private var projects = Sums<String?>()
    private var agents = Sums<String?>()
    private var hosts = Sums<HostID>()
    private var hostNames: [HostID: (name: String, day: UTCDay)] = [:]
    private var sessions: [SessionID: (last: CostRow, models: Sums<String?>)] = [:]

    private struct Sums<Name: Hashable> {
        private(set) var byName: [Name: CostSum] = [:]

        mutating func add(_ sum: CostSum, to name: Name) { byName[name, default: CostSum()].add(sum) }

        /// Highest cost first, then by name.
        func inOrder(_ text: (Name) -> String?) -> [(name: Name, sum: CostSum)] {
            byName.map { (name: $0.key, sum: $0.value.shown) }.sorted { one, other in
                if one.sum.isDearer(than: other.sum) { return true }
                return !other.sum.isDearer(than: one.sum) && text(one.name) ?? "" < text(other.name) ?? ""
            }
        }

        func shares(_ text: (Name) -> String?) -> [CostReport.Share] {
            inOrder(text).prefix(CostReport.sharesMax).map { CostReport.Share(name: text($0.name), sum: $0.sum) }
        }
    }

    /// `now`: milliseconds since 1970.
    init(_ query: CostQuery, now: Int64) {
        self.query = query
        self.now = now
    }

    mutating func add(_ row: CostRow) {
        since = since.map { $0.number < row.key.day.number ? $0 : row.key.day } ?? row.key.day
        let (begin, end) = (row.key.day.begin, row.key.day.begin + UTCDay.length)
        let isAsked = begin < query.until && end > query.days[0]
        guard isAsked || end > now - Self.hour else { return }
        var used: [Int: Sums<String?>] = [:]
        for entry in row.entries {
            let time = entry.quarter * CostRow.quarterMilliseconds
            if time >= lastHourBegin, time <= now { lastHourMicroUSD += entry.sum.costMicroUSD ?? 0 }
            guard let day = day(of: time) else { continue }
            add(entry.sum, of: entry.model, in: row, on: day)
            used[day, default: Sums()].add(entry.sum, to: entry.model)
        }
        // A cost may be reported apart from its tokens, but not on another day.
        for (day, models) in used {
            for (model, sum) in models.byName where sum.costMicroUSD == nil && sum.estimateMicroUSD <= 0 {
                add(CostSum(unpricedTokens: sum.tokens.sum), of: model, in: row, on: day)
            }
        }
    }

    private static let hour: Int64 = 60 * 60 * 1000

    /// Begin of the first quarter of an hour that is in the last hour as a whole.
    private var lastHourBegin: Int64 {
        (now - Self.hour + CostRow.quarterMilliseconds - 1) / CostRow.quarterMilliseconds * CostRow.quarterMilliseconds
    }

    /// Index of the query's day that this time is in; nil if it is in none.
    private func day(of time: Int64) -> Int? {
        guard time < query.until, time >= query.days[0] else { return nil }
        var (low, high) = (0, query.days.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if query.days[middle] <= time { low = middle } else { high = middle }
        }
        return low
    }

    private mutating func add(_ sum: CostSum, of model: String?, in row: CostRow, on day: Int) {
        total.add(sum)
        days[day, default: Sums()].add(sum, to: model)
        models.add(sum, to: model)
        projects.add(sum, to: row.project)
        agents.add(sum, to: row.agent)
        hosts.add(sum, to: row.host.id)
        if hostNames[row.host.id].map({ $0.day.number <= row.key.day.number }) ?? true {
            hostNames[row.host.id] = (row.host.name, row.key.day)
        }
        var session = sessions[row.key.session] ?? (last: row, models: Sums())
        if session.last.key.day.number <= row.key.day.number { session.last = row }
        session.models.add(sum, to: model)
        sessions[row.key.session] = session
    }

    var report: CostReport {
        var report = CostReport()
        report.total = total.shown
        report.models = models.shares { $0 }
        report.projects = projects.shares { $0 }
        report.agents = agents.shares { $0 }
        report.hosts = hosts.shares { hostNames[$0]?.name }
        let named = models.inOrder { $0 }.prefix(CostReport.modelsOfDayMax).map(\.name)
        report.days = days.sorted { $0.key < $1.key }.map { day, sums in
            CostReport.Day(index: Int64(day), models: Self.shares(of: sums, named))
        }
        report.sessions = dearest
        report.sessionCount = Int64(sessions.count)
        report.since = since?.begin
        // The quarters so far are between 45 minutes and an hour.
        let share = Double(Self.hour) / Double(now - lastHourBegin)
        report.lastHourMicroUSD = max(0, Int64((Double(lastHourMicroUSD) * share).rounded()))
        return report
    }

    /// The day's models in the order of the whole report's, so that a chart stacks each day in the same order.
    private static func shares(of day: Sums<String?>, _ named: [String?]) -> [CostReport.ModelShare] {
        var shares: [CostReport.ModelShare] = []
        for (place, model) in named.enumerated() {
            if let sum = day.byName[model] { shares.append(.init(model: Int64(place), sum: sum.shown)) }
        }
        var rest: CostSum?
        for (model, sum) in day.byName where !named.contains(model) { rest = (rest ?? CostSum()).plus(sum) }
        if let rest { shares.append(.init(model: nil, sum: rest.shown)) }
        return shares
    }

    private var dearest: [CostReport.SessionShare] {
        let all = sessions.map { id, session in
            let models = session.models.inOrder { $0 }
            let sum = session.models.byName.values.reduce(CostSum()) { $0.plus($1) }
            return CostReport.SessionShare(
                session: id, host: session.last.host.name, agent: session.last.agent, project: session.last.project,
                model: models.first?.name, sum: sum.shown)
        }
        let inOrder = all.sorted { one, other in
            if one.sum.isDearer(than: other.sum) { return true }
            return !other.sum.isDearer(than: one.sum) && one.session.rawValue < other.session.rawValue
        }
        return Array(inOrder.prefix(Int(query.sessions)))
    }
}
