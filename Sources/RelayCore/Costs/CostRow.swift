import RelayProtocol

/// One session's usage on one UTC day, by model and quarter of an hour. It is kept when the session is removed.
///
/// Quarters, because days are those of the asker's time zone, and all time zones differ from UTC by a multiple of one.
struct CostRow: Equatable {
    struct Key: Hashable {
        let day: UTCDay
        let session: SessionID

        /// Name of the row's record.
        var name: String { "\(day.number)/\(session)" }
    }

    struct Used: Equatable {
        /// The quarter of an hour, counted since 1970.
        let quarter: Int64
        let model: String?
        var sum: CostSum
    }

    let key: Key
    /// The session's most recent host, and below it agent and project.
    private(set) var host: Named<HostTag>
    private(set) var agent: String
    private(set) var project: String?
    private(set) var entries: [Used] = []

    static let quarterMilliseconds: Int64 = 15 * 60 * 1000
    /// Enough for two models through a whole day. Beyond it, usage is added to an earlier entry of the same model, or else to the
    /// last entry.
    static let entriesMax = 192

    init(_ key: Key, of summary: Summary) {
        self.key = key
        host = summary.host
        agent = summary.agentName
        project = summary.project
    }

    mutating func add(_ sum: CostSum, of model: String?, at time: Int64, in summary: Summary) {
        (host, agent, project) = (summary.host, summary.agentName, summary.project ?? project)
        let quarter = time / Self.quarterMilliseconds
        // Searched from the end, as nearly all usage belongs to the newest entry.
        if let place = entries.lastIndex(where: { $0.quarter == quarter && $0.model == model }) {
            entries[place].sum.add(sum)
        } else if entries.count < Self.entriesMax {
            entries.append(Used(quarter: quarter, model: model, sum: sum))
        } else {
            let place = entries.lastIndex { $0.model == model } ?? entries.count - 1
            entries[place].sum.add(sum)
        }
    }

    // MARK: - On disk

    init(stored bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        key = Key(
            day: UTCDay(number: try value.integer("day")), session: try value.identifier("session"))
        host = try Named(from: value.required("host"))
        agent = try value.string("agent")
        project = try value.optionalString("project")
        for entry in try value.array("entries", countMax: Self.entriesMax) {
            entries.append(
                Used(
                    quarter: try entry.integer("quarter"), model: try entry.optionalString("model"),
                    sum: try CostSum(stored: entry)))
        }
    }

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("day", key.day.number)
            writer.field("session", key.session)
            writer.object("host") { host.write(to: &$0) }
            writer.field("agent", agent)
            writer.field("project", project)
            writer.array(
                "entries",
                entries.map { entry in
                    JSONWriter.object {
                        $0.field("quarter", entry.quarter)
                        $0.field("model", entry.model)
                        entry.sum.write(to: &$0)
                    }
                })
        }
    }
}
