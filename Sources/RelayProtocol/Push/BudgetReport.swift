/// A budget with its state: one entry of the reply to `budgets`.
package struct BudgetReport: Sendable, Equatable {
    package var budget: Budget
    /// The amount spent; for `everySession`, by the session that has spent most.
    package var spentMicroUSD: Int64
    /// The highest level reached, in percent.
    package var crossed: Int64?
    /// The day to which `spentMicroUSD` belongs, such as `2026-11-21`; only for the scope `day`.
    package var day: String?
    /// Connected hosts that cannot hold sessions although the budget asks for it.
    package var cannotHold: [String]

    package init(
        _ budget: Budget, spentMicroUSD: Int64, crossed: Int64?, day: String? = nil, cannotHold: [String] = []
    ) {
        self.budget = budget
        self.spentMicroUSD = spentMicroUSD
        self.crossed = crossed
        self.day = day
        self.cannotHold = cannotHold
    }

    package init(from value: JSONValue) throws(WireError) {
        budget = try Budget(from: value)
        spentMicroUSD = try value.integer("spentMicroUSD")
        crossed = try value.optionalInteger("crossed")
        day = try value.optionalString("day")
        cannotHold = []
        if value.optional("cannotHold") != nil {
            for host in try value.array("cannotHold") { cannotHold.append(try host.string()) }
        }
    }

    package var bytes: [UInt8] {
        JSONWriter.object {
            budget.write(to: &$0)
            $0.field("spentMicroUSD", spentMicroUSD)
            $0.field("crossed", crossed)
            $0.field("day", day)
            if !cannotHold.isEmpty { $0.strings("cannotHold", cannotHold) }
        }
    }
}
