/// What budgets mean for one session: for the page and the card.
package struct BudgetMark: Sendable, Equatable {
    /// The highest level that is reached of any budget that concerns it, in percent.
    package var level: Int64
    /// The amount of that budget.
    package var microUSD: Int64
    /// Every tool needs approval.
    package var isHeld: Bool

    package init(level: Int64, microUSD: Int64, isHeld: Bool) {
        self.level = level
        self.microUSD = microUSD
        self.isHeld = isHeld
    }

    package init(from value: JSONValue) throws(WireError) {
        level = try value.object().integer("level")
        microUSD = try value.integer("microUSD")
        isHeld = try value.flag("held")
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("level", level)
        writer.field("microUSD", microUSD)
        writer.flag("held", isHeld)
    }
}
