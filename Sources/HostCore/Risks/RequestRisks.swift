package import RelayProtocol

/// Warnings about a request, as sentences that every client shows before a person allows a tool.
///
/// It only ever adds a warning: silence means nothing, and nothing says that something is harmless. Known by the fields of the input
/// rather than by the tool's name, so that every agent's tools are looked at alike.
package enum RequestRisks {
    /// `target`: the file that is really written if a link leads elsewhere; the client is shown it separately. `writes`: files that
    /// are written besides the one that the input names. `links`: the files that those are links to; nil if this could not be found
    /// out in time.
    package static func of(
        _ input: JSONValue?, writes files: [String] = [], paths: ShownPaths, target: String? = nil,
        links: [String: String]? = [:]
    ) -> [String] {
        guard let input, (try? input.members()) != nil else { return [] }
        let command = input.text("command") ?? input.list("command").compactMap { try? $0.string() }.joined(separator: " ")
        var found = CommandRisks.sentences(command)
        let folder = paths.workingDirectory.map { (path: $0, shown: paths.tilde($0)) }
        for path in [written(in: input)].compactMap(\.self) + files {
            let meant = target ?? links?[path]
            var sentences = PathRisks.sentences(meant ?? path, folder: folder)
            if let meant, target == nil { sentences.insert(leads(from: paths.short(path), to: meant), at: 0) }
            if links == nil { sentences.append("Where links in the path lead could not be found out.") }
            for sentence in sentences where !found.contains(sentence) { found.append(sentence) }
        }
        found += AddressRisks.sentences(input.text("url") ?? "")
        if input.isTrue("dangerouslyDisableSandbox") { found.append("Runs outside the sandbox.") }
        return found.prefix(WireLimits.risksMax).map { TextCut.line($0, bytesMax: WireLimits.lineBytesMax) }
    }

    /// The path that the tool would write, by its input.
    package static func written(in input: JSONValue) -> String? {
        let texts: [StaticString] = ["content", "text", "file_text", "new_string", "edits", "new_source", "edit_mode"]
        let names: [StaticString] = ["file_path", "notebook_path", "path"]
        guard texts.contains(where: { input.optional($0) != nil }) else { return nil }
        return names.lazy.compactMap { input.text($0) }.first
    }

    private static func leads(from path: String, to file: String) -> String {
        "A link leads from \(path) to \(file): that is what changes."
    }
}
