package import RelayProtocol

/// Warnings about a request, as sentences that every client shows before a person allows a tool.
///
/// It only ever adds a warning: silence means nothing, and nothing says that something is harmless. Known by the fields of the input
/// where they suffice, so that every agent's tools are looked at alike.
package enum RequestRisks {
    package static let typing = "Goes to a command that already runs: what that does with it is not known here."
    private static let texts: [StaticString] = [
        "content", "contents", "text", "file_text", "new_string", "newString", "new_str", "newText", "edits", "new_source",
        "edit_mode", "code_edit", "data",
    ]
    private static let names: [StaticString] = [
        "file_path", "filePath", "notebook_path", "path", "target_file", "filename", "file",
    ]
    private static let sources: [StaticString] = ["source", "from", "old_path", "oldPath"]
    private static let targets: [StaticString] = ["destination", "new_path", "newPath", "to"]
    private static let writing: Set<String> = [
        "edit", "write", "create", "append", "insert", "replace", "patch", "update", "save", "overwrite",
    ]
    private static let removing: Set<String> = ["delete", "remove", "move", "rename"]

    /// `tool`: its name shows whether it writes to a path that comes without a text. `target`: the file that is really written if
    /// a link leads elsewhere; the client is shown it separately. `writes`: files that are written besides those that the input
    /// names. `links`: the files that those are links to; nil if this could not be found out in time.
    package static func of(
        _ input: JSONValue?, of tool: String = "", writes files: [String] = [], paths: ShownPaths, target: String? = nil,
        links: [String: String]? = [:]
    ) -> [String] {
        guard let input, (try? input.members()) != nil else { return [] }
        let calls = calls(in: input, of: tool)
        var found: [String] = []
        func add(_ sentences: [String]) { for sentence in sentences where !found.contains(sentence) { found.append(sentence) } }
        for call in calls { add(CommandRisks.sentences(command(in: call.input))) }
        let folder = paths.workingDirectory.map { (path: $0, shown: paths.tilde($0)) }
        for path in calls.flatMap(written) + files {
            let meant = target ?? links?[path]
            var sentences = PathRisks.sentences(meant ?? path, folder: folder)
            if let meant, target == nil { sentences.insert(leads(from: paths.short(path), to: meant), at: 0) }
            if links == nil { sentences.append("Where links in the path lead could not be found out.") }
            add(sentences)
        }
        for call in calls {
            add(AddressRisks.sentences(call.input.text("url") ?? ""))
            if call.input.isTrue("dangerouslyDisableSandbox") { add(["Runs outside the sandbox."]) }
        }
        return found.prefix(WireLimits.risksMax).map { TextCut.line($0, bytesMax: WireLimits.lineBytesMax) }
    }

    /// The paths that the tool would write, by its input.
    package static func written(in input: JSONValue, of tool: String) -> [String] {
        var seen: Set<String> = []
        return calls(in: input, of: tool).flatMap(written).filter { seen.insert($0).inserted }
    }

    // MARK: Fields

    private typealias Call = (input: JSONValue, tools: [String])

    /// The input, and the calls inside it: an ACP agent's question may be about several, each with an input of its own.
    private static func calls(in input: JSONValue, of tool: String) -> [Call] {
        let tools = [input.text("tool") ?? tool, input.text("kind")].compactMap(\.self)
        let inner = input.list("calls") + [input.optional("input")].compactMap(\.self)
        return [(input, tools)] + inner.filter(\.isObject).flatMap { calls(in: $0, of: tools[0]) }
    }

    private static func command(in input: JSONValue) -> String {
        for name in ["command", "cmd"] as [StaticString] {
            let words = input.list(name).compactMap { try? $0.string() }
            if let command = input.text(name) ?? (words.isEmpty ? nil : words.joined(separator: " ")) { return command }
        }
        return ""
    }

    private static func written(by call: Call) -> [String] {
        let input = call.input
        func paths(_ names: [StaticString]) -> [String] { names.compactMap { input.text($0) }.filter { !$0.isEmpty } }
        let verbs = Set(call.tools.flatMap(words))
        let removes = !verbs.isDisjoint(with: removing)
        let writes = removes || !verbs.isDisjoint(with: writing) || texts.contains { input.optional($0) != nil }
        let origins = paths(sources)
        let diffs = input.list("content").filter { $0.text("type") == "diff" }.compactMap { $0.text("path") }
        return (writes ? Array(paths(names).prefix(1)) : []) + (removes ? origins : [])
            + (removes || !origins.isEmpty ? paths(targets) : []) + diffs
            + input.list("filesReported").compactMap { try? $0.string() }
    }

    /// The words of a tool's name without its server's.
    private static func words(of tool: String) -> [String] {
        let server = tool.hasPrefix("mcp__") ? tool.ranges(of: "__").last : nil
        var words = [""]
        for character in tool[(server?.upperBound ?? tool.startIndex)...] {
            if !character.isLetter || character.isUppercase { words.append("") }
            if character.isLetter { words[words.count - 1].append(contentsOf: character.lowercased()) }
        }
        return words
    }

    private static func leads(from path: String, to file: String) -> String {
        "A link leads from \(path) to \(file): that is what changes."
    }
}
