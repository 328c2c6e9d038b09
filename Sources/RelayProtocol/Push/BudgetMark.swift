/// State of the budgets that apply to one session, for the page and the card.
package struct BudgetMark: Sendable, Equatable {
    /// The highest level that any of these budgets has reached, in percent.
    package var level: Int64
    /// The amount of that budget.
    package var microUSD: Int64
    /// True if a budget with `holds` is spent.
    package var isHeld: Bool
    /// The tools that the host can hold, if these are not all. Nil while nothing is held.
    package var reach: HoldReach?

    package init(level: Int64, microUSD: Int64, isHeld: Bool, reach: HoldReach? = nil) {
        self.level = level
        self.microUSD = microUSD
        self.isHeld = isHeld
        self.reach = reach
    }

    package init(from value: JSONValue) throws(WireError) {
        level = try value.object().integer("level")
        microUSD = try value.integer("microUSD")
        reach = try value.optionalString("hold").flatMap(HoldReach.init)
        isHeld = try value.flag("held") || reach != nil
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("level", level)
        writer.field("microUSD", microUSD)
        writer.flag("held", isHeld && reach == nil)
        if isHeld { writer.field("hold", reach?.rawValue) }
    }
}
