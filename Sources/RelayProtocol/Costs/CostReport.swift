/// The answer to `costs`.
package struct CostReport: Sendable, Equatable {
    package var total = CostSum()
    /// Days on which something was used, ascending.
    package var days: [Day] = []
    /// Shares by model, and below by project, host, agent and session: each list is sorted by cost, highest first, and has at most
    /// `sharesMax` entries.
    package var models: [Share] = []
    package var projects: [Share] = []
    package var hosts: [Share] = []
    package var agents: [Share] = []
    /// The shares of as many sessions as were asked for.
    package var sessions: [SessionShare] = []
    package var sessionCount: Int64 = 0
    /// Start of the oldest UTC day on record, in milliseconds since 1970; nil if there is none.
    package var since: Int64?
    /// Cost of the last hour, independent of the query's days.
    package var lastHourMicroUSD: Int64 = 0

    package static let sharesMax = 100
    /// Models of one day that have an entry of their own: as many as a chart can distinguish. The others share one entry.
    package static let modelsOfDayMax = 8

    package struct Share: Sendable, Equatable {
        /// Nil for usage without a name, such as that of no project.
        package var name: String?
        package var sum: CostSum

        package init(name: String?, sum: CostSum) {
            self.name = name
            self.sum = sum
        }
    }

    package struct Day: Sendable, Equatable {
        /// Index of the day in the query's `days`.
        package var index: Int64
        package var models: [ModelShare]

        package init(index: Int64, models: [ModelShare]) {
            self.index = index
            self.models = models
        }
    }

    package struct ModelShare: Sendable, Equatable {
        /// Index in `models`; nil for models that have no entry of their own.
        package var model: Int64?
        package var sum: CostSum

        package init(model: Int64?, sum: CostSum) {
            self.model = model
            self.sum = sum
        }
    }

    package struct SessionShare: Sendable, Equatable {
        package var session: SessionID
        package var host: String
        package var agent: String
        package var project: String?
        /// The model that cost most.
        package var model: String?
        package var sum: CostSum

        package init(session: SessionID, host: String, agent: String, project: String?, model: String?, sum: CostSum) {
            self.session = session
            self.host = host
            self.agent = agent
            self.project = project
            self.model = model
            self.sum = sum
        }
    }

    package init() {}

    package init(from value: JSONValue) throws(WireError) {
        total = try CostSum(from: value.required("total"))
        for entry in try value.array("days", countMax: CostQuery.daysMax) {
            var models: [ModelShare] = []
            for share in try entry.array("models", countMax: Self.modelsOfDayMax + 1) {
                models.append(ModelShare(model: try share.optionalInteger("model"), sum: try CostSum(from: share)))
            }
            days.append(Day(index: try entry.integer("day"), models: models))
        }
        models = try Self.shares(value.array("models", countMax: Self.sharesMax))
        projects = try Self.shares(value.array("projects", countMax: Self.sharesMax))
        hosts = try Self.shares(value.array("hosts", countMax: Self.sharesMax))
        agents = try Self.shares(value.array("agents", countMax: Self.sharesMax))
        for entry in try value.array("sessions", countMax: Int(CostQuery.sessionsMax)) {
            sessions.append(
                SessionShare(
                    session: try entry.identifier("session"), host: try entry.string("host"), agent: try entry.string("agent"),
                    project: try entry.optionalString("project"), model: try entry.optionalString("model"),
                    sum: try CostSum(from: entry)))
        }
        sessionCount = try value.integer("sessionCount")
        since = try value.optionalInteger("since")
        lastHourMicroUSD = try value.integer("lastHourMicroUSD")
    }

    private static func shares(_ entries: [JSONValue]) throws(WireError) -> [Share] {
        var shares: [Share] = []
        for entry in entries { shares.append(Share(name: try entry.optionalString("name"), sum: try CostSum(from: entry))) }
        return shares
    }

    package var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.object("total") { total.write(to: &$0) }
            writer.array(
                "days",
                days.map { day in
                    JSONWriter.object {
                        $0.field("day", day.index)
                        $0.array(
                            "models",
                            day.models.map { share in
                                JSONWriter.object {
                                    $0.field("model", share.model)
                                    share.sum.write(to: &$0)
                                }
                            })
                    }
                })
            writer.array("models", models.map(\.bytes))
            writer.array("projects", projects.map(\.bytes))
            writer.array("hosts", hosts.map(\.bytes))
            writer.array("agents", agents.map(\.bytes))
            writer.array(
                "sessions",
                sessions.map { session in
                    JSONWriter.object {
                        $0.field("session", session.session)
                        $0.field("host", session.host)
                        $0.field("agent", session.agent)
                        $0.field("project", session.project)
                        $0.field("model", session.model)
                        session.sum.write(to: &$0)
                    }
                })
            writer.field("sessionCount", sessionCount)
            writer.field("since", since)
            writer.field("lastHourMicroUSD", lastHourMicroUSD)
        }
    }
}

extension CostReport.Share {
    fileprivate var bytes: [UInt8] {
        JSONWriter.object {
            $0.field("name", name)
            sum.write(to: &$0)
        }
    }
}
