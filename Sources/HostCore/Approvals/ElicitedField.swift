import RelayProtocol

/// One field of an elicited form: its permitted values, and the question that represents it.
struct ElicitedField: Equatable, Sendable {
    enum Value: Equatable {
        case said([UInt8])
        /// The field is optional, and was not filled in.
        case leftOut
    }

    private enum Kind: Equatable {
        case text(lengths: ClosedRange<Int64>, format: String?)
        case number(from: ExactNumber?, through: ExactNumber?, isWhole: Bool)
        case choice
        case choices(counts: ClosedRange<Int64>)
    }

    let name: String
    let question: AskedQuestion
    private let kind: Kind

    private static let leaveOut = "Leave it out"
    private static let common: Set<String> = ["type", "title", "description", "default"]
    private static let formats: Set<String> = ["email", "uri", "date", "date-time"]

    /// Nil if the field, or a rule about it, is unknown to us. `message`: the server's text about the whole form.
    init?(
        _ name: String, _ value: JSONValue, place: Int, isRequired: Bool, after message: String?, clean: (String) -> String
    ) {
        guard let (kind, options, hint) = Self.read(value) else { return nil }
        self.name = name
        self.kind = kind
        var words = [value.text("title") ?? name]
        if let description = value.text("description"), !description.isEmpty { words.append(description) }
        let given = value.optional("default").flatMap { Self.words(of: $0, options) }
        let hints = [hint, given.map { "by default: \($0)" }, isRequired ? nil : "may be left out"].compactMap { $0 }
        if !hints.isEmpty { words.append("(\(hints.joined(separator: "; ")))") }
        let text = ([message].compactMap { $0 } + [clean(words.joined(separator: " "))]).joined(separator: " · ")
        let shown = ShownLabels.apart(options.map { clean($0.title) } + (isRequired ? [] : [Self.leaveOut]))
        // The labels are the values that the server accepts; an empty label means no answer.
        let labels = options.map { String(decoding: $0.value, as: UTF8.self) } + (isRequired ? [] : [""])
        guard Set(labels).count == labels.count, labels.count <= WireLimits.questionsMax else { return nil }
        let (isMultiple, takesWords) =
            switch kind {
            case .choice: (false, false)
            case .choices: (true, false)
            case .text, .number: (false, true)
            }
        question = AskedQuestion(
            id: "q\(place)", text: text, shownText: text, isMultiple: isMultiple,
            choices: zip(labels, shown).map { AskedQuestion.Choice(label: $0, shownLabel: $1, description: nil) },
            takesWords: takesWords)
    }

    private typealias Option = (value: [UInt8], title: String)

    private static func read(_ value: JSONValue) -> (Kind, [Option], hint: String?)? {
        guard let members = try? value.members() else { return nil }
        func has(only more: Set<String>) -> Bool { members.allSatisfy { common.contains($0.key) || more.contains($0.key) } }
        switch value.text("type") {
        case "boolean":
            guard has(only: []) else { return nil }
            return (.choice, [(Array("true".utf8), "Yes"), (Array("false".utf8), "No")], nil)
        case "string" where value.optional("enum") != nil || value.optional("oneOf") != nil:
            guard has(only: ["enum", "enumNames", "oneOf"]), let options = options(value) else { return nil }
            return (.choice, options, nil)
        case "string":
            guard has(only: ["minLength", "maxLength", "format"]) else { return nil }
            let format = value.text("format")
            guard format.map(formats.contains) ?? true,
                let lengths = range(value.whole("minLength"), value.whole("maxLength"))
            else { return nil }
            let isBound = lengths != 0...Int64.max
            let hints = [format.map { "\($0)" }, isBound ? "\(said(lengths)) characters" : nil].compactMap { $0 }
            return (.text(lengths: lengths, format: format), [], hints.isEmpty ? nil : hints.joined(separator: ", "))
        case let type? where type == "number" || type == "integer":
            guard has(only: ["minimum", "maximum"]) else { return nil }
            func bound(_ key: StaticString) -> JSONValue? { value.optional(key).flatMap { $0.isNull ? nil : $0 } }
            let (minimum, maximum) = (bound("minimum"), bound("maximum"))
            let (from, through) = (ExactNumber(minimum), ExactNumber(maximum))
            // A bound that is no number is a rule that we do not know.
            guard (minimum == nil) == (from == nil), (maximum == nil) == (through == nil) else { return nil }
            if let from, let through, through < from { return nil }
            let isWhole = type == "integer"
            var hint = isWhole ? "a whole number" : "a number"
            if let minimum { hint += ", \(source(of: minimum)) or more" }
            if let maximum { hint += ", \(source(of: maximum)) or less" }
            return (.number(from: from, through: through, isWhole: isWhole), [], hint)
        case "array":
            guard has(only: ["items", "minItems", "maxItems", "uniqueItems"]), let items = value.optional("items"),
                let known = try? items.members(),
                known.allSatisfy({ ["type", "enum", "enumNames", "anyOf", "oneOf"].contains($0.key) }),
                let options = options(items), let counts = range(value.whole("minItems"), value.whole("maxItems"))
            else { return nil }
            return (.choices(counts: counts), options, counts == 0...Int64.max ? nil : "\(said(counts)) of these")
        default: return nil
        }
    }

    private static func range(_ from: Int64?, _ through: Int64?) -> ClosedRange<Int64>? {
        let (from, through) = (from ?? 0, through ?? .max)
        return from >= 0 && from <= through ? from...through : nil
    }

    private static func said(_ range: ClosedRange<Int64>) -> String {
        if range.upperBound == .max { return "\(range.lowerBound) or more" }
        return range.lowerBound == 0 ? "at most \(range.upperBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }

    /// The texts to choose from, in either of their two spellings: `enum` with `enumNames`, or a list of `const` with `title`.
    private static func options(_ value: JSONValue) -> [Option]? {
        if let list = try? value.optional("enum")?.array() {
            let names = value.list("enumNames").compactMap { try? $0.string() }
            let values = list.compactMap { try? $0.string() }
            guard values.count == list.count, !values.isEmpty, names.isEmpty || names.count == values.count,
                value.optional("oneOf") == nil, value.optional("anyOf") == nil
            else { return nil }
            return zip(values, names.isEmpty ? values : names).map { (JSONWriter.string($0), $1) }
        }
        let list = value.list("oneOf") + value.list("anyOf")
        let options = list.compactMap { option -> Option? in
            guard let members = try? option.members(),
                members.allSatisfy({ ["const", "title", "description", "type"].contains($0.key) }),
                let value = option.text("const")
            else { return nil }
            return (JSONWriter.string(value), option.text("title") ?? value)
        }
        return options.count == list.count && !options.isEmpty ? options : nil
    }

    /// The field's default value, in people's words.
    private static func words(of value: JSONValue, _ options: [Option]) -> String? {
        if value.isNull { return nil }
        if let list = try? value.array() {
            let all = list.compactMap { words(of: $0, options) }
            return all.isEmpty ? nil : all.joined(separator: ", ")
        }
        let bytes = spelled(value)
        return options.first { $0.value == bytes }?.title ?? (try? value.string()) ?? source(of: value)
    }

    /// The value in the agent's own bytes: a number spelled differently could look like another number.
    private static func source(of value: JSONValue) -> String { String(decoding: value.bytes, as: UTF8.self) }

    // MARK: Answers

    /// The field's value by these answers; nil if they do not fit.
    func value(in answers: [Answer]) -> Value? {
        guard let chosen = question.chosen(in: answers) else { return nil }
        if chosen.labels.contains("") { return chosen.labels.count == 1 && chosen.text == nil ? .leftOut : nil }
        switch kind {
        case .text(let lengths, let format):
            guard let text = chosen.text, lengths.contains(Int64(text.unicodeScalars.count)), Self.fits(text, format) else {
                return nil
            }
            return .said(JSONWriter.string(text))
        case .number(let from, let through, let isWhole):
            guard let text = chosen.text.map(TextCut.trim), let bytes = ExactNumber.json(typed: text),
                let number = ExactNumber(text: bytes[...]), from.map({ $0 <= number }) ?? true,
                through.map({ number <= $0 }) ?? true,
                !isWhole || !bytes.contains(where: { ".eE".utf8.contains($0) })
            else { return nil }
            return .said(bytes)
        case .choice: return chosen.text == nil ? chosen.labels.first.map { .said(Array($0.utf8)) } : nil
        case .choices(let counts):
            guard chosen.text == nil, counts.contains(Int64(chosen.labels.count)) else { return nil }
            return .said(JSONWriter.array(chosen.labels.map { Array($0.utf8) }))
        }
    }

    /// True if the text looks like the format. This catches a slip of the thumb; the server validates the value itself.
    private static func fits(_ text: String, _ format: String?) -> Bool {
        func hasDigits(_ text: Substring, _ counts: [Int]) -> Bool {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            return parts.map(\.count) == counts && parts.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isNumber } }
        }
        switch format {
        case "email":
            let parts = text.split(separator: "@", omittingEmptySubsequences: false)
            return parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
        case "uri": return text.split(separator: ":", maxSplits: 1).count == 2 && !text.contains(" ")
        case "date": return hasDigits(text[...], [4, 2, 2])
        case "date-time":
            let parts = text.split(separator: "T", maxSplits: 1)
            return parts.count == 2 && hasDigits(parts[0], [4, 2, 2]) && parts[1].contains(":")
        default: return true
        }
    }

    // MARK: Spelling

    /// A canonical spelling, so that equal values have equal bytes.
    static func spelled(_ value: JSONValue) -> [UInt8] {
        if let text = try? value.string() { return JSONWriter.string(text) }
        if let list = try? value.array() { return JSONWriter.array(list.map(spelled)) }
        return ExactNumber(value).map { Array($0.spelled.utf8) } ?? Array(value.bytes)
    }
}
