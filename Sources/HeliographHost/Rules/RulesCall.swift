package import HeliographHook
internal import HostCore
internal import HostRules
internal import RelayProtocol

/// `heliograph rules list|check|accept`. Each returns text for the person, or JSON.
package enum RulesCall {
    package static func list(isJSON: Bool, paths: HostPaths = HostPaths()) throws(HostError) -> String {
        let file = RulesFile(paths)
        let found = try file.kept()
        let (kept, isThere) = (found?.rules, found?.isThere == true)
        if isJSON {
            let document = JSONWriter.object { writer in
                writer.field("file", file.path)
                writer.field("digest", isThere ? kept?.digest.rawValue : kept.map { _ in noFile })
                writer.flag("accepted", kept?.isAccepted ?? true)
                writer.array("rules", kept?.book.rules.map { RuleOffer($0, isOff: kept?.isOff($0) == true).bytes } ?? [])
            }
            return JSONLine.text(document)
        }
        let none = "There are no rules: \(file.path) is not there."
        guard let kept else { return none }
        guard isThere else { return none + " Accept that: heliograph rules accept" + former(kept) }
        guard !kept.isAccepted else { return words(kept) }
        let remark = "\nThis file was not accepted: no rule of it allows anything. heliograph rules accept"
        return words(kept) + remark + former(kept)
    }

    package static func check(_ path: String, isJSON: Bool) throws(HostError) -> String {
        let (digest, book) = try read(path)
        guard isJSON else { return words(KeptRules(book, digest: digest, isAccepted: true)) }
        let document = JSONWriter.object {
            $0.field("file", path)
            $0.field("digest", digest.rawValue)
            $0.array("rules", book.rules.map { RuleOffer($0, isOff: false).bytes })
        }
        return JSONLine.text(document)
    }

    /// In place of a digest: there is no file any more, and its owner accepts that.
    private static let noFile = "none"

    private static func former(_ kept: KeptRules) -> String {
        guard !kept.former.isEmpty else { return "" }
        return "\nUntil then these hold, too, as you accepted them before:\n"
            + kept.former.map(\.line).joined(separator: "\n")
    }

    /// The rules to be accepted, in words, with the file's digest and the names of the rules that are off.
    package static func offered(
        paths: HostPaths = HostPaths()
    ) throws(HostError) -> (words: String, digest: String, off: Set<String>) {
        let file = RulesFile(paths)
        guard let found = try file.kept() else {
            throw HostError(.badInput, "there are no rules: \(file.path) is not there")
        }
        let kept = found.rules
        guard found.isThere else { return ("\(file.path) is not there.\(former(kept))", noFile, []) }
        return (words(kept) + former(kept), kept.digest.rawValue, kept.off)
    }

    /// Accepts the rules. `again`: rules that were switched off remotely and are to allow again.
    ///
    /// - Throws: if the file does not have this digest.
    package static func accept(_ digest: String, again: Set<String>, paths: HostPaths = HostPaths()) throws(HostError) {
        let file = RulesFile(paths)
        if digest == noFile {
            try file.acceptNone()
        } else {
            guard let current = try file.kept()?.rules.digest, current.rawValue == digest else {
                throw HostError(.badInput, "\(file.path) has another digest: look at it again with heliograph rules list")
            }
            try file.accept(current, again: again)
        }
        // If no daemon runs, the next one reads the rules.
        _ = LaunchDriver.tellDaemon(paths)
    }

    /// The text of a file that has exactly one rule, without blank lines around it.
    package static func oneRule(in path: String) throws(HostError) -> String {
        guard let bytes = try Files.read(path, bytesMax: RulesFile.bytesMax) else {
            throw HostError(.badInput, "\(path) is not there")
        }
        let count = try checked(RulesFile.parse(bytes).book, path).rules.count
        guard count == 1 else { throw HostError(.badInput, "\(path) has \(count) rules: add one at a time") }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let text = lines.drop { $0.allSatisfy(\.isWhitespace) }
        let end = text.lastIndex { !$0.allSatisfy(\.isWhitespace) } ?? text.startIndex
        return text[...end].joined(separator: "\n")
    }

    /// The rules in a file at any path.
    static func read(_ path: String) throws(HostError) -> (digest: InputDigest, book: RuleBook) {
        guard let bytes = try Files.read(path, bytesMax: RulesFile.bytesMax) else {
            throw HostError(.badInput, "\(path) is not there")
        }
        let (digest, read) = RulesFile.parse(bytes)
        return (digest, try checked(read, path))
    }

    private static func checked(_ book: Result<RuleBook, RuleError>, _ path: String) throws(HostError) -> RuleBook {
        do throws(RuleError) { return try book.get() } catch {
            throw HostError(.badConfiguration, "\(path): \(error)")
        }
    }

    private static func words(_ kept: KeptRules) -> String {
        guard !kept.book.rules.isEmpty else { return "The file has no rules." }
        return kept.book.rules.map { rule in
            rule.line + (kept.isOff(rule) ? " — off: taken back from afar, until you accept it again" : "")
        }.joined(separator: "\n")
    }
}

extension Rule {
    var line: String {
        let limits = [
            folder.map { "in \($0)" }, agent.map { "for \($0)" }, hours?.text, until.map { "until \($0)" },
            times.map { $0 == 1 ? "once" : "\($0) times" },
        ].compactMap(\.self)
        let end = limits.isEmpty ? "" : " (\(limits.joined(separator: ", ")))"
        return VisibleText.line("\(name): \(answer.rawValue) \(patterns.map(\.text).joined(separator: ", "))\(end)")
    }
}
