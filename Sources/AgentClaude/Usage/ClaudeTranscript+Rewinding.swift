internal import HostCore
internal import RelayProtocol

/// Finds the place in the conversation from which a prompt continues: each line names the one before it.
extension ClaudeTranscript {
    enum Continuation: Equatable {
        /// The end of the conversation, as far as the transcript shows.
        case last
        /// A person has rewound the conversation to the end of the turn of which this is the last prompt; nil means to its
        /// beginning.
        case earlier(prompt: String?)
    }

    /// The place from which the prompt continues; nil if the transcript does not contain the prompt yet. `prompt`: the name that
    /// its hook uses for it.
    func continuation(of prompt: String) -> Continuation? {
        var parent: String?
        var isFound = false
        // True if a prompt was written after the place from which this one continues.
        var hasPassed = false
        for line in lines.reversed() {
            let isByPerson = line.contains(Self.person)
            guard isByPerson || parent.map({ line.contains(Array(#""uuid":"\#($0)""#.utf8)) }) == true,
                let value = try? JSONDocument(parsing: Array(line)).root, !value.isTrue("isSidechain")
            else { continue }
            guard isFound else {
                guard value.text("type") == "user", Self.words(in: value) != nil else { continue }
                guard value.text("promptId") == prompt else { return nil }
                isFound = true
                parent = Self.parent(of: value)
                continue
            }
            let isOnPath = parent != nil && value.text("uuid") == parent
            if let words = Self.words(in: value) {
                // A prompt without words, such as a single picture, cannot be named.
                if isOnPath { return hasPassed && !words.isEmpty ? .earlier(prompt: words) : .last }
                hasPassed = true
            }
            guard isOnPath else { continue }
            // This is a summary of the latest messages, with which the agent continues.
            if !hasPassed, value.isTrue("isCompactSummary") { return .last }
            parent = Self.parent(of: value)
        }
        // If the parent is before the part that was read, the place is unknown.
        return hasPassed && parent == nil ? .earlier(prompt: nil) : .last
    }

    private static let person = Array(#""kind":"human""#.utf8)

    /// The line before this one in the conversation. A summary begins a new chain and names its predecessor in another field.
    private static func parent(of line: JSONValue) -> String? { line.text("parentUuid") ?? line.text("logicalParentUuid") }

    /// The words of a person's prompt, as its hook has them; nil for other lines. A prompt that was sent during a turn is an
    /// attachment.
    private static func words(in line: JSONValue) -> String? {
        var said = line.optional("message")?.optional("content")
        var origin = line.optional("origin")
        if let attachment = line.optional("attachment"), attachment.text("type") == "queued_command" {
            (said, origin) = (attachment.optional("prompt"), attachment.optional("origin"))
        }
        guard origin?.text("kind") == "human", !line.isTrue("isMeta"), let said else { return nil }
        let text = (try? said.string()) ?? ((try? said.array()) ?? []).compactMap { $0.text("text") }.joined(separator: "\n")
        return command(in: text) ?? text
    }

    /// A command as `/name arguments`; its line spells it in elements.
    private static func command(in text: String) -> String? {
        guard text.hasPrefix("<command-"), let name = element("command-name", of: text) else { return nil }
        let arguments = element("command-args", of: text) ?? ""
        return arguments.isEmpty ? name : "\(name) \(arguments)"
    }

    private static func element(_ name: String, of text: String) -> String? {
        guard let start = text.firstRange(of: "<\(name)>"), case let rest = text[start.upperBound...],
            let end = rest.firstRange(of: "</\(name)>")
        else { return nil }
        return String(rest[..<end.lowerBound])
    }
}
