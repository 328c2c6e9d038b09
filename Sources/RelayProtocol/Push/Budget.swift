/// A limit on spending, with the levels that are reported, and whether tools are held beyond it.
package struct Budget: Sendable, Equatable {
    package enum Scope: Sendable, Equatable, Hashable {
        case session(SessionID)
        /// Each session without a budget of its own.
        case everySession
        /// The whole workspace within one day, UTC.
        case day
        /// The whole workspace, without an end.
        case workspace

        package var name: ScopeName {
            switch self {
            case .session: .session
            case .everySession: .everySession
            case .day: .day
            case .workspace: .workspace
            }
        }
    }

    /// A scope's name, without the session that it may have.
    package enum ScopeName: String, Sendable, CaseIterable {
        case session, everySession, day, workspace
    }

    package var scope: Scope
    /// The limit; 0 removes the budget.
    package var microUSD: Int64
    /// The levels that are reported: percentages, ascending.
    package var levels: [Int64]
    /// From 100 % on, every tool of the sessions concerned needs approval.
    package var holds: Bool

    package static let defaultLevels: [Int64] = [50, 80, 100]

    package init(scope: Scope, microUSD: Int64, levels: [Int64] = Self.defaultLevels, holds: Bool = false) {
        self.scope = scope
        self.microUSD = microUSD
        self.levels = levels
        self.holds = holds
    }

    package init(from value: JSONValue) throws(WireError) {
        let scope: Scope =
            switch try value.object().word("scope", ScopeName.self) {
            case .session: .session(try value.identifier("session"))
            case .everySession: .everySession
            case .day: .day
            case .workspace: .workspace
            }
        self.init(scope: scope, microUSD: try value.integer("microUSD"))
        holds = try value.flag("hold")
        guard value.optional("levels") != nil else { return }
        levels = []
        for entry in try value.array("levels", countMax: WireLimits.budgetLevelsMax) {
            let level = try entry.integer(in: 1...1_000)
            guard level > levels.last ?? 0 else { throw WireError(.badValue, at: entry.path, "levels ascend") }
            levels.append(level)
        }
    }

    package var bytes: [UInt8] { JSONWriter.object { write(to: &$0) } }

    package func write(to writer: inout JSONWriter) {
        writer.field("scope", scope.name.rawValue)
        if case .session(let session) = scope { writer.field("session", session) }
        writer.field("microUSD", microUSD)
        writer.array("levels", levels.map { Array(String($0).utf8) })
        writer.flag("hold", holds)
    }

    /// The highest level that this spending has reached; nil if it has reached none.
    package func level(at spentMicroUSD: Int64) -> Int64? { levels.last { isReached($0, at: spentMicroUSD) } }

    package func isReached(_ level: Int64, at spentMicroUSD: Int64) -> Bool {
        // Exact: no number on the wire is large enough for these products to overflow.
        microUSD > 0 && spentMicroUSD * 100 >= level * microUSD
    }

    package func isHolding(at spentMicroUSD: Int64) -> Bool { holds && isReached(100, at: spentMicroUSD) }
}
