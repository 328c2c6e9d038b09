/// The reply to one command.
package enum Reply: Sendable, Equatable {
    case done
    /// To commands that steer a session: what is known of their delivery to the host.
    case forwarded(Delivery)
    /// To `decide` and `answer`: the approval's stage now.
    case decided(ApprovalStage.Word)
    case history(first: Int64, events: [[UInt8]])
    /// To `pair`. `expiresAt` is in milliseconds since 1970; `qr` has rows of 0 and 1.
    case pairing(link: String, expiresAt: Int64, qr: [String])
    /// To `devices`: each device as JSON, with its cards and last pushes.
    case devices([[UInt8]])
    /// To `budgets`: each budget as JSON, with the amount spent.
    case budgets([[UInt8]])
    case costs(CostReport)
    /// To `screen`: the screen as its host sent it.
    case screen([UInt8])
    case failed(Notice, winner: Decision?)

    package static func failed(_ code: ErrorCode, _ message: String, winner: Decision? = nil) -> Reply {
        .failed(Notice(code: code.rawValue, message: message), winner: winner)
    }

    /// The relay's knowledge of a command's delivery. A host does not confirm that it has received it.
    package enum Delivery: String, Sendable, CaseIterable {
        /// Written to the host's connection. A host that is killed at that moment has not received it.
        case sent
        /// Recorded by a relay that ended before it could record whether it was sent. It is not sent again.
        case unknown
    }

    init(from value: JSONValue) throws(WireError) {
        if let error = value.optional("error") {
            var winner: Decision?
            if let decision = error.optional("winner") { winner = try Decision(from: decision) }
            self = .failed(try Notice(from: error), winner: winner)
        } else if value.optional("stage") != nil {
            self = .decided(try value.word("stage"))
        } else if value.optional("delivery") != nil {
            self = .forwarded(try value.word("delivery"))
        } else if value.optional("events") != nil {
            self = .history(first: try value.integer("first"), events: try value.array("events").map { Array($0.bytes) })
        } else if value.optional("link") != nil {
            var rows: [String] = []
            for row in try value.array("qr") { rows.append(try row.string()) }
            self = .pairing(link: try value.string("link"), expiresAt: try value.integer("expiresAt"), qr: rows)
        } else if value.optional("devices") != nil {
            self = .devices(try value.array("devices").map { Array($0.bytes) })
        } else if value.optional("budgets") != nil {
            self = .budgets(try value.array("budgets").map { Array($0.bytes) })
        } else if let costs = value.optional("costs") {
            self = .costs(try CostReport(from: costs))
        } else if let screen = value.optional("screen") {
            self = .screen(Array(screen.bytes))
        } else {
            self = .done
        }
    }

    /// The reply alone, as HTTP answers it.
    package var bytes: [UInt8] { JSONWriter.object { write(to: &$0) } }

    func write(to writer: inout JSONWriter) {
        switch self {
        case .done: break
        case .forwarded(let delivery): writer.field("delivery", delivery.rawValue)
        case .decided(let stage): writer.field("stage", stage.rawValue)
        case .history(let first, let events):
            writer.field("first", first)
            writer.array("events", events)
        case .pairing(let link, let expiresAt, let qr):
            writer.field("link", link)
            writer.field("expiresAt", expiresAt)
            writer.strings("qr", qr)
        case .devices(let devices): writer.array("devices", devices)
        case .budgets(let budgets): writer.array("budgets", budgets)
        case .costs(let report): writer.raw("costs", report.bytes)
        case .screen(let screen): writer.raw("screen", screen)
        case .failed(let notice, let winner):
            writer.object("error") {
                notice.write(to: &$0)
                if let winner { $0.object("winner") { winner.write(to: &$0) } }
            }
        }
    }
}
