/// State of one session's budgets, for the page and the card.
package struct BudgetMark: Sendable, Equatable {
    /// The highest level that is reached of any budget that concerns it, in percent.
    package var level: Int64
    /// The amount of that budget.
    package var microUSD: Int64
    /// A budget that holds is spent.
    package var isHeld: Bool
    /// The tools that its host can hold, if not all of them need approval. Nil while it is not held.
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
