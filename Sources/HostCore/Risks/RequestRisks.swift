package import RelayProtocol

/// What a person should look at twice before a tool is allowed, as sentences that every client shows.
///
/// It only ever adds a warning: silence means nothing, and nothing says that something is harmless. Known by the fields of the input
/// rather than by the tool's name, so that every agent's tools are looked at alike.
package enum RequestRisks {
    /// `target`: the file that is meant if a link leads elsewhere. `writes`: files that are written besides the one that the input names.
    package static func of(
        _ input: JSONValue?, writes files: [String] = [], paths: ShownPaths, target: String? = nil
    ) -> [String] {
        guard let input, (try? input.members()) != nil else { return [] }
        let command = input.text("command") ?? input.list("command").compactMap { try? $0.string() }.joined(separator: " ")
        var found = CommandRisks.sentences(command)
        let texts: [StaticString] = ["content", "text", "file_text", "new_string", "edits", "new_source", "edit_mode"]
        let names: [StaticString] = ["file_path", "notebook_path", "path"]
        let named = target ?? names.lazy.compactMap { input.text($0) }.first
        let written = texts.contains { input.optional($0) != nil } ? [named].compactMap(\.self) : []
        let folder = paths.workingDirectory.map { (path: $0, shown: paths.tilde($0)) }
        for sentence in (written + files).flatMap({ PathRisks.sentences($0, folder: folder) }) where !found.contains(sentence) {
            found.append(sentence)
        }
        found += AddressRisks.sentences(input.text("url") ?? "")
        if input.isTrue("dangerouslyDisableSandbox") { found.append("Runs outside the sandbox.") }
        return found.prefix(WireLimits.risksMax).map { TextCut.line($0, bytesMax: WireLimits.lineBytesMax) }
    }
}
