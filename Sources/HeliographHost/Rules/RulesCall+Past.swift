package import HeliographHook
internal import HostCore
internal import HostRules
internal import RelayProtocol

/// `heliograph rules try|suggest`: rules tried on the requests that the relay keeps.
extension RulesCall {
    /// The name by which this machine's sessions are known; nil if it is not a host.
    package static func hostName(paths: HostPaths = HostPaths()) -> String? {
        guard let configuration = try? HostConfiguration.load(paths) else { return nil }
        return configuration.name ?? HostConfiguration.machineName()
    }

    /// The answers that the rules of a file, or of `rules.toml`, would have given. `showsAll`: with every request.
    package static func tried(
        _ path: String?, on sessions: [KeptSession], showsAll: Bool, isJSON: Bool, paths: HostPaths = HostPaths()
    ) throws(HostError) -> String {
        let book = if let path { try read(path).book } else { try RulesFile(paths).kept()?.rules.standing ?? RuleBook() }
        let trial = RuleTrial(book, on: PastRequest.list(in: sessions, home: paths.home, moment: RulesFile.moment))
        if isJSON { return JSONLine.text(trial.json()) }
        return trial.words(sessions: sessions.count, showsAll: showsAll)
    }

    /// The same for a remote client. Without `text`: the host's own rules, also those that are off, and suggestions for the
    /// requests that they leave open.
    static func tried(_ text: String, on kept: [KeptRequest], paths: HostPaths) throws(HostError) -> [UInt8] {
        let requests = PastRequest.list(in: kept, home: paths.home, moment: RulesFile.moment)
        guard text.isEmpty else {
            do throws(RuleError) {
                return RuleTrial(try RuleBook(parsing: text), on: requests).json(bytesMax: WireLimits.triedBytesMax)
            } catch { throw HostError(.badInput, "\(error)") }
        }
        let rules = try RulesFile(paths).kept()?.rules
        let suggestions = suggestions(beside: rules?.standing ?? RuleBook(), from: requests)
        return RuleTrial(rules?.book ?? RuleBook(), on: requests)
            .json(suggesting: suggestions, bytesMax: WireLimits.triedBytesMax)
    }

    private static func suggestions(beside book: RuleBook, from requests: [PastRequest]) -> [RuleSuggestion] {
        // Only requests that no rule answers.
        let open = requests.map(\.past).filter { past in
            if case .ask = past.verdict(of: book, look: PathLinks.real) { true } else { false }
        }
        return RuleSuggestion.list(for: open, look: PathLinks.real)
    }

    /// Rules that would have answered as people did, ready to be copied into `rules.toml`.
    package static func suggested(
        from sessions: [KeptSession], isJSON: Bool, paths: HostPaths = HostPaths()
    ) throws(HostError) -> String {
        let book = try RulesFile(paths).kept()?.rules.standing ?? RuleBook()
        let requests = PastRequest.list(in: sessions, home: paths.home, moment: RulesFile.moment)
        let suggestions = suggestions(beside: book, from: requests)
        if isJSON {
            let document = JSONWriter.object { writer in
                writer.array("suggestions", suggestions.map(\.json))
            }
            return JSONLine.text(document)
        }
        guard !suggestions.isEmpty else {
            return "# \(count(requests.count, "request")): nothing was answered the same way \(RuleSuggestion.callsMin) times, "
                + "and never otherwise."
        }
        return suggestions.map { suggestion in
            let answer: PastCall.Answer = suggestion.rule.answer == .allow ? .allowed : .denied
            return "# \(answer.rawValue) \(suggestion.calls.count) times\n\(suggestion.rule.toml)"
        }.joined(separator: "\n\n")
    }

    /// Maximum number of a rule's calls that are listed; of more, the number is given.
    private static let ranMax = 100

    /// The calls that a rule has allowed in these sessions, the newest last.
    package static func ran(by rule: String, in sessions: [KeptSession], paths: HostPaths = HostPaths()) -> String {
        let requests = PastRequest.list(in: sessions, home: paths.home, moment: RulesFile.moment)
            .filter { $0.rules.contains(rule) }
        guard let first = requests.first else { return "Nothing that the relay keeps ran by it in this time." }
        let shown = requests.suffix(ranMax)
        let more = requests.count - shown.count
        let named = shown.map { VisibleText.line("  \($0.day) \($0.clock)  \($0.session)  \($0.title)") }
        return
            (["\(count(requests.count, "call")) ran by it since \(first.day):"]
            + (more > 0 ? ["  … \(more) before these"] : []) + named).joined(separator: "\n")
    }

    static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
}

extension Rule {
    fileprivate var asks: Bool { answer == .ask || answer == .passkey }
}

/// A request, and the answer that the rules would have given.
private struct Tried {
    let request: PastRequest
    let verdict: RuleBook.Verdict

    /// Names of the rules that answer; several if they cover a command line together.
    var rules: [String] {
        switch verdict {
        case .allow(let names): names
        case .deny(let name, _): [name]
        case .ask, .passkey: []
        }
    }

    var word: String {
        switch verdict {
        case .allow: "allow"
        case .deny: "deny"
        case .ask: "ask"
        case .passkey: "passkey"
        }
    }

    /// Kinds of results, in the order in which a person has to see them.
    enum Weight: CaseIterable { case freer, answered, asked }

    var weight: Weight { isFreer ? .freer : rules.isEmpty ? .asked : .answered }

    /// True if a person denied the request and the rules would allow it.
    var isFreer: Bool { if case (.allow, .denied) = (verdict, request.past.answer) { true } else { false } }

    var line: String {
        let by = request.by ?? "nobody"
        let answer = request.past.answer?.rawValue ?? "answered"
        let reason: String
        switch verdict {
        case .allow, .deny: reason = "\(word) (\(rules.joined(separator: ", ")))"
        case .ask(let sentence, let rule): reason = "ask: \(sentence)" + (rule.map { " (\($0))" } ?? "")
        case .passkey(let rule): reason = "ask with a passkey (\(rule))"
        }
        return VisibleText.line(
            "\(request.day) \(request.clock)  \(request.session)  \(request.title)  [\(answer) by \(by)] → \(reason)")
    }

    var json: [UInt8] {
        JSONWriter.object {
            $0.field("session", request.session)
            $0.field("approval", request.approval)
            $0.field("at", request.at)
            $0.field("title", request.title)
            $0.field("answer", request.past.answer?.rawValue)
            $0.field("by", request.by)
            $0.field("would", word)
            $0.strings("rules", rules)
            if case .ask(let sentence, _) = verdict { $0.field("reason", sentence) }
        }
    }
}

/// The result of trying rules on requests.
private struct RuleTrial {
    let book: RuleBook
    let tried: [Tried]

    init(_ book: RuleBook, on requests: [PastRequest]) {
        self.book = book
        var uses = RuleUses()
        tried = requests.map { request in
            let verdict = request.past.verdict(of: uses.standing(book), look: PathLinks.real)
            if case .allow(let names) = verdict { _ = uses.count(names, in: book) }
            return Tried(request: request, verdict: verdict)
        }
    }

    private func count(_ rule: Rule, _ answer: PastCall.Answer) -> Int {
        tried.count { $0.rules.contains(rule.name) && $0.request.past.answer == answer }
    }

    private func count(_ rule: Rule) -> Int { tried.count { $0.rules.contains(rule.name) } }
    private func asked(by rule: Rule) -> Int {
        tried.count {
            switch $0.verdict {
            case .ask(_, rule: rule.name), .passkey(rule: rule.name): true
            default: false
            }
        }
    }

    private var asked: Int { tried.count { $0.rules.isEmpty } }

    func words(sessions: Int, showsAll: Bool) -> String {
        guard let first = tried.first else {
            return "The relay keeps no request in \(RulesCall.count(sessions, "session")) of this host."
        }
        let answered = tried.count { $0.request.past.answer != nil }
        var lines = [
            "\(RulesCall.count(tried.count, "request")) since \(first.request.day), \(answered) answered by a person.", "",
        ]
        let width = book.rules.map(\.name.utf8.count).max() ?? 0
        for rule in book.rules {
            let name = rule.name + String(repeating: " ", count: width - rule.name.utf8.count)
            guard !rule.asks else {
                let how = rule.answer == .passkey ? "ask for a passkey" : "ask"
                lines.append("\(name)  would \(how) about \(asked(by: rule))")
                continue
            }
            lines.append(
                "\(name)  would \(rule.answer.rawValue) \(count(rule)); people allowed \(count(rule, .allowed)) of them and denied "
                    + "\(count(rule, .denied))")
        }
        lines.append("A person would still be asked about \(asked).")
        let freer = tried.filter(\.isFreer)
        if !freer.isEmpty {
            let times = freer.count == 1 ? "once" : "\(freer.count) times"
            lines += ["", "! What these rules would have allowed, a person denied \(times):"]
            lines += freer.map { "  " + $0.line }
        }
        if showsAll {
            lines.append("")
            lines += tried.map(\.line)
        }
        return lines.joined(separator: "\n")
    }

    /// The result as JSON. Calls beyond `bytesMax` are left out and counted in `more`: first those that would be asked, the oldest
    /// of each kind.
    func json(suggesting suggestions: [RuleSuggestion]? = nil, bytesMax: Int = .max) -> [UInt8] {
        let suggested = suggestions.map { $0.map(\.json) }
        let calls = tried.map(\.json)
        var room = bytesMax - Self.headBytes(book, suggested)
        var shown: Set<Int> = []
        for kind in Tried.Weight.allCases {
            for place in tried.indices.reversed() where tried[place].weight == kind {
                room -= calls[place].count + 1
                if room >= 0 { shown.insert(place) }
            }
        }
        let told = calls.indices.filter(shown.contains).map { calls[$0] }
        return JSONWriter.object { writer in
            writer.field("requests", Int64(tried.count))
            writer.field("since", tried.first?.request.at)
            writer.field("asked", Int64(asked))
            writer.field("deniedYetAllowed", Int64(tried.count(where: \.isFreer)))
            let rules = book.rules.map { rule in
                JSONWriter.object {
                    $0.field("name", rule.name)
                    $0.field("answer", rule.answer.rawValue)
                    $0.field("requests", Int64(rule.asks ? asked(by: rule) : count(rule)))
                    $0.field("allowed", Int64(count(rule, .allowed)))
                    $0.field("denied", Int64(count(rule, .denied)))
                }
            }
            writer.array("rules", rules)
            if let suggested { writer.array("suggestions", suggested) }
            writer.array("tried", told)
            if told.count < calls.count { writer.field("more", Int64(calls.count - told.count)) }
        }
    }

    /// Approximate bytes of everything but the calls: names, and numbers of limited length.
    private static func headBytes(_ book: RuleBook, _ suggested: [[UInt8]]?) -> Int {
        256 + book.rules.reduce(0) { $0 + $1.name.utf8.count + 128 } + (suggested ?? []).reduce(0) { $0 + $1.count + 1 }
    }
}

extension RuleSuggestion {
    fileprivate var json: [UInt8] {
        JSONWriter.object {
            $0.field("toml", rule.toml)
            $0.field("times", Int64(calls.count))
            $0.raw("rule", RuleOffer(rule, isOff: false).bytes)
        }
    }
}
