internal import Glibc
package import HeliographHook
internal import HostRules
internal import RelayProtocol

/// `heliograph rules list|check|accept`. Each returns what people read, or JSON.
package enum RulesCall {
    package static func list(isJSON: Bool, paths: HostPaths = HostPaths()) throws(HostError) -> String {
        let file = RulesFile(paths)
        let (digest, book, isAccepted) = try standing(of: file)
        if isJSON {
            let document = JSONWriter.object {
                $0.field("file", file.path)
                $0.field("digest", digest?.rawValue)
                $0.flag("accepted", isAccepted)
                $0.array("rules", book.rules.map(\.json))
            }
            return JSONLine.text(document)
        }
        guard digest != nil else { return "There are no rules: \(file.path) is not there." }
        let remark = isAccepted ? "" : "\nThis file was not accepted: no rule of it allows anything. heliograph rules accept"
        return words(book) + remark
    }

    package static func check(_ path: String, isJSON: Bool) throws(HostError) -> String {
        let (digest, book) = try read(path)
        guard isJSON else { return words(book) }
        let document = JSONWriter.object {
            $0.field("file", path)
            $0.field("digest", digest.rawValue)
            $0.array("rules", book.rules.map(\.json))
        }
        return JSONLine.text(document)
    }

    /// The rules to accept, in words, and the file's digest.
    package static func offered(paths: HostPaths = HostPaths()) throws(HostError) -> (words: String, digest: String) {
        let file = RulesFile(paths)
        let (digest, book, _) = try standing(of: file)
        guard let digest else { throw HostError(.badInput, "there are no rules: \(file.path) is not there") }
        return (words(book), digest.rawValue)
    }

    /// - Throws: if the file is not the one that has this digest.
    package static func accept(_ digest: String, paths: HostPaths = HostPaths()) throws(HostError) {
        let file = RulesFile(paths)
        guard let current = try standing(of: file).digest, current.rawValue == digest else {
            throw HostError(.badInput, "\(file.path) has another digest: look at it again with heliograph rules list")
        }
        try file.accept(current)
    }

    /// A file anywhere.
    static func read(_ path: String) throws(HostError) -> (digest: InputDigest, book: RuleBook) {
        guard let bytes = try Files.read(path, bytesMax: RulesFile.bytesMax) else {
            throw HostError(.badInput, "\(path) is not there")
        }
        let (digest, read) = RulesFile.parse(bytes)
        return (digest, try checked(read, path))
    }

    static func standing(
        of file: RulesFile
    ) throws(HostError) -> (digest: InputDigest?, book: RuleBook, isAccepted: Bool) {
        guard let (digest, read) = try file.read() else { return (nil, RuleBook(), true) }
        return (digest, try checked(read, file.path), file.isAccepted(digest))
    }

    private static func checked(_ book: Result<RuleBook, RuleError>, _ path: String) throws(HostError) -> RuleBook {
        do throws(RuleError) { return try book.get() } catch {
            throw HostError(.badConfiguration, "\(path): \(error)")
        }
    }

    private static func words(_ book: RuleBook) -> String {
        book.rules.isEmpty ? "The file has no rules." : book.rules.map(\.line).joined(separator: "\n")
    }
}

extension Rule {
    private var patternTexts: [String] { patterns.map(\.text) }
    private var hoursText: String? { hours.map { "\(Self.clock($0.begin))-\(Self.clock($0.end))" } }

    static func clock(_ minute: Int) -> String {
        "\((minute / 60).twoDigits):\((minute % 60).twoDigits)"
    }

    fileprivate var line: String {
        let limits = [
            folder.map { "in \($0)" }, agent.map { "for \($0)" }, hoursText, until.map { "until \($0)" },
        ].compactMap(\.self)
        let end = limits.isEmpty ? "" : " (\(limits.joined(separator: ", ")))"
        return VisibleText.line("\(name): \(answer.rawValue) \(patternTexts.joined(separator: ", "))\(end)")
    }

    var json: [UInt8] {
        JSONWriter.object {
            $0.field("name", name)
            $0.field("answer", answer.rawValue)
            $0.strings("for", patternTexts)
            $0.field("words", words)
            $0.field("folder", folder)
            $0.field("agent", agent)
            $0.field("hours", hoursText)
            $0.field("until", until)
        }
    }
}
