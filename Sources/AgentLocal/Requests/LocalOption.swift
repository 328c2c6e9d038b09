internal import RelayProtocol

/// One of the answers that a program takes to a question about a tool, in its own words.
struct LocalOption: Sendable {
    enum Kind: String, CaseIterable {
        case allowOnce = "allow_once"
        case allowAlways = "allow_always"
        case rejectOnce = "reject_once"
        case rejectAlways = "reject_always"
    }

    let id: String
    let kind: Kind

    /// Nil where the program names none.
    static func list(from root: JSONValue) throws(WireError) -> [LocalOption]? {
        guard root.optional("options") != nil else { return nil }
        var options: [LocalOption] = []
        for entry in try root.array("options", countMax: LocalLimits.optionsMax) {
            // The name is for people, and the wire has no place for it.
            _ = try entry.object().optionalString("name", bytesMax: WireLimits.lineBytesMax)
            options.append(LocalOption(id: try entry.name("id"), kind: try entry.word("kind")))
        }
        return options
    }
}
