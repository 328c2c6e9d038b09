/// How much may be spent, and what shall happen on the way there.
package struct Budget: Sendable, Equatable {
    package enum Scope: Sendable, Equatable, Hashable {
        case session(SessionID)
        /// Each session that has none of its own.
        case everySession
        /// The whole workspace within one day, UTC.
        case day
        /// The whole workspace for ever.
        case workspace
    }

    package var scope: Scope
    /// 0 takes the budget away.
    package var microUSD: Int64
    /// In percent, ascending.
    package var levels: [Int64]
    /// From 100 % on every tool of the sessions concerned needs approval.
    package var holds: Bool

    package static let defaultLevels: [Int64] = [50, 80, 100]

    package init(scope: Scope, microUSD: Int64, levels: [Int64] = Self.defaultLevels, holds: Bool = false) {
        self.scope = scope
        self.microUSD = microUSD
        self.levels = levels
        self.holds = holds
    }

    package init(from value: JSONValue) throws(WireError) {
        let scope = try value.object().string("scope")
        switch scope {
        case "session": self.init(scope: .session(try value.identifier("session")), microUSD: try value.integer("microUSD"))
        case "everySession": self.init(scope: .everySession, microUSD: try value.integer("microUSD"))
        case "day": self.init(scope: .day, microUSD: try value.integer("microUSD"))
        case "workspace": self.init(scope: .workspace, microUSD: try value.integer("microUSD"))
        default:
            throw WireError(
                .badValue, at: "\(value.path).scope", "this is none of: session, everySession, day, workspace")
        }
        holds = try value.flag("hold")
        guard value.optional("levels") != nil else { return }
        levels = []
        for entry in try value.array("levels", countMax: WireLimits.budgetLevelsMax) {
            let level = try entry.integer(in: 1...1_000)
            guard level > levels.last ?? 0 else { throw WireError(.badValue, at: entry.path, "levels ascend") }
            levels.append(level)
        }
    }

    package var bytes: [UInt8] {
        JSONWriter.object { writer in
            switch scope {
            case .session(let session):
                writer.field("scope", "session")
                writer.field("session", session)
            case .everySession: writer.field("scope", "everySession")
            case .day: writer.field("scope", "day")
            case .workspace: writer.field("scope", "workspace")
            }
            writer.field("microUSD", microUSD)
            writer.array("levels", levels.map { Array(String($0).utf8) })
            writer.flag("hold", holds)
        }
    }
}
