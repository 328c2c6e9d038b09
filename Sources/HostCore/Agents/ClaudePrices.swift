/// The models that Claude Code knows a price of: for others the cost that it reports is a guess.
package enum ClaudePrices {
    /// True if Claude Code has a price for the model, as far as the name shows. To all other models it applies the price of its
    /// default Opus (2.1.329), and reports that only at the end (`hasUnknownModelCost`).
    package static func know(_ model: String) -> Bool {
        let name = model.lowercased()
        // A Bedrock profile hides a model that Claude Code looks up; angle brackets are put around names that are not models.
        return name.isEmpty || name.hasPrefix("<")
            || ["claude", "application-inference-profile"].contains { name.contains($0) }
    }
}
