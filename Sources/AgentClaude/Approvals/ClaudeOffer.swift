internal import HostCore
internal import RelayProtocol

/// Claude's suggestions with a request for permission (`permission_suggestions`), as offers.
///
/// Only a suggestion that is understood as a whole is offered: another type, another destination, or an unknown member could mean more
/// than is shown.
enum ClaudeOffer {
    /// Scopes in the words of Claude's answer; most are named after the settings file that it then writes.
    private static let scopes: [String: Offer.Scope] = [
        "session": .session, "localSettings": .local, "projectSettings": .project, "userSettings": .user,
    ]

    /// Modes into which a client may put a session: never the one that never asks.
    private static let modes: Set<String> = [ClaudeForm.askingMode, "acceptEdits", "plan"]

    static func all(in payload: JSONValue, of tool: String, _ cleaner: Cleaner) -> [AgentOffer] {
        // A plan's continuation is chosen by its modes, so there are no other offers.
        guard tool != ClaudeAnswer.planTool else { return [] }
        let offers = payload.list("permission_suggestions").enumerated().compactMap { place, suggestion in
            offer(suggestion, id: "s\(place)").map { AgentOffer($0, bytes: Array(suggestion.bytes)) }
        }
        return AgentOffer.showable(offers, cleaner)
    }

    private static func offer(_ suggestion: JSONValue, id: String) -> Offer? {
        guard let scope = suggestion.text("destination").flatMap({ scopes[$0] }) else { return nil }
        switch suggestion.text("type") {
        case "addRules":
            guard suggestion.hasOnly(["type", "destination", "behavior", "rules"]), suggestion.text("behavior") == "allow",
                let rules = lines(suggestion, "rules", rule)
            else { return nil }
            return Offer(id: id, label: "Allow this from now on", rule: rules, scope: scope)
        case "addDirectories":
            guard suggestion.hasOnly(["type", "destination", "directories"]),
                let directories = lines(suggestion, "directories", { try? $0.string() })
            else { return nil }
            return Offer(id: id, label: "Allow, and let it work in this folder too", rule: directories, scope: scope)
        case "setMode":
            // Written to a settings file, the mode would apply to every later session.
            guard suggestion.hasOnly(["type", "destination", "mode"]), scope == .session, let mode = suggestion.text("mode"),
                modes.contains(mode)
            else { return nil }
            return Offer(id: id, label: "Allow, and go on in the mode \(mode)", mode: mode, scope: scope)
        default: return nil
        }
    }

    /// A rule as Claude writes it to a settings file, with its escapes: `Bash(npm test *)`. An empty content would be written as
    /// none, which means the whole tool, so it is not offered.
    private static func rule(_ value: JSONValue) -> String? {
        guard value.hasOnly(["toolName", "ruleContent"]), let tool = value.text("toolName"), !tool.isEmpty,
            !tool.contains(where: { "()".contains($0) })
        else { return nil }
        guard let content = value.optional("ruleContent") else { return tool }
        guard let text = try? content.string(), !text.isEmpty else { return nil }
        return "\(tool)(\(text.map { #"\()"#.contains($0) ? #"\\#($0)"# : String($0) }.joined()))"
    }

    /// The entries, one a line; nil unless every entry is known and is one line.
    private static func lines(_ suggestion: JSONValue, _ key: StaticString, _ line: (JSONValue) -> String?) -> String? {
        guard let entries = try? suggestion.required(key).array(), !entries.isEmpty else { return nil }
        let lines = entries.compactMap(line)
        guard lines.count == entries.count, lines.allSatisfy({ !$0.isEmpty && !$0.contains(where: \.isNewline) }) else {
            return nil
        }
        return lines.joined(separator: "\n")
    }
}

extension JSONValue {
    fileprivate func hasOnly(_ keys: Set<String>) -> Bool {
        guard let members = try? members() else { return false }
        return members.allSatisfy { keys.contains($0.key) }
    }
}
