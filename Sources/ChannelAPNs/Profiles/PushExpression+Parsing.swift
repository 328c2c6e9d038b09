import PushPlanner
import RelayProtocol

extension PushExpression {
    /// The fields of an object, in order. A `?` after a name means that the app's field is an optional.
    static func fields(from value: JSONValue, _ dates: DateFormat) throws(WireError) -> [Field] {
        var fields: [Field] = []
        for (key, member) in try value.members() {
            let isOptional = key.hasSuffix("?")
            let name = isOptional ? String(key.dropLast()) : key
            guard !name.isEmpty, !name.contains("?") else {
                throw WireError(.badValue, at: member.path, "a field has a name, and a ? only behind it")
            }
            if fields.contains(where: { $0.name == name }) {
                throw WireError(.duplicateKey, at: member.path, "the field \(name) is here already")
            }
            let expression = try PushExpression(from: member, dates)
            if expression.kind == .moment {
                throw WireError(
                    .wrongType, at: member.path,
                    "a moment is no field yet: write {\"date\": \(expression.sketch)}, or {\"seconds\": [from, to]}")
            }
            fields.append(Field(name: name, isOptional: isOptional, expression: expression))
        }
        return fields
    }

    init(from value: JSONValue, _ dates: DateFormat) throws(WireError) {
        if value.isObject {
            try self.init(operation: value, dates)
        } else if let text = try? value.string() {
            try self.init(text: text, at: value.path)
        } else if (try? value.bool()) != nil {
            self = .json(Array(value.bytes), .flag)
        } else if let number = try? value.integer(in: Int64.min...Int64.max) {
            self = .whole(number)
        } else if (try? value.number()) != nil {
            self = .json(Array(value.bytes), .fraction)
        } else {
            throw value.wrongType("a $source, a constant (text, number, true, false) or an operation such as {\"first\": […]}")
        }
    }

    private init(text: String, at path: String) throws(WireError) {
        guard text.hasPrefix("$"), !text.hasPrefix("$$") else {
            self = .text(text.hasPrefix("$$") ? String(text.dropFirst()) : text)
            return
        }
        guard let source = PushSource(rawValue: String(text.dropFirst())) else {
            let names = PushSource.allCases.map { "$" + $0.rawValue }.joined(separator: ", ")
            throw WireError(
                .badValue, at: path, "there is no \(text); there are: \(names). A constant that begins with $ is written $$")
        }
        self = .source(source)
    }

    // MARK: - Operations

    static let operations = [
        "first", "object", "byStatus", "byLanguage", "ratio", "dollars", "seconds", "date", "name", "uuid",
    ]

    private init(operation value: JSONValue, _ dates: DateFormat) throws(WireError) {
        let members = try value.members()
        let names = members.map(\.key).filter { $0 != "plusSeconds" }
        guard names.count == 1, let name = names.first, let operand = members.first(where: { $0.key == name })?.value else {
            throw WireError(.badValue, at: value.path, "one operation belongs here: \(Self.operations.joined(separator: ", "))")
        }
        if members.count > 1, name != "date" {
            throw WireError(.badValue, at: "\(value.path).plusSeconds", "only a date has this")
        }
        switch name {
        case "first": self = .first(try Self.first(operand, dates))
        case "object": self = .object(try Self.fields(from: operand, dates))
        case "byStatus": self = .byStatus(try Self.byStatus(operand, dates))
        case "byLanguage":
            let choice = try LanguageChoice(from: operand) { (value) throws(WireError) in try PushExpression(from: value, dates)
            }
            try Self.refuseMixture(of: choice.all, at: operand.path)
            self = .byLanguage(choice)
        case "ratio":
            let (part, whole) = try Self.two(operand, .whole, "whole numbers, [part, whole]", dates)
            self = .ratio(part, whole)
        case "dollars": self = .dollars(try Self.one(operand, .whole, "micro-dollars, such as \"$costMicroUSD\"", dates))
        case "seconds":
            let (from, to) = try Self.two(operand, .moment, "moments, [from, to]", dates)
            self = .seconds(from, to)
        case "date":
            if dates == .none {
                throw WireError(
                    .badValue, at: value.path, "dates is none: say reference2001 (what Swift's Date decodes) or unix")
            }
            let moment = try Self.one(operand, .moment, "a moment, such as \"$startedAt\"", dates)
            // At most a century either way.
            let plus = try value.optionalInteger("plusSeconds", in: -3_155_760_000...3_155_760_000)
            self = .date(moment, plusSeconds: plus ?? 0, dates)
        case "name": self = .name(try Self.one(operand, .text, "text, such as \"$file\"", dates))
        case "uuid": self = .uuid(try Self.one(operand, .text, "text, such as \"$session\"", dates))
        default:
            throw WireError(
                .badValue, at: "\(value.path).\(name)",
                "there is no such operation; there are: \(Self.operations.joined(separator: ", "))")
        }
    }

    private static func first(_ value: JSONValue, _ dates: DateFormat) throws(WireError) -> [PushExpression] {
        var list: [PushExpression] = []
        for entry in try value.array() {
            if let last = list.last, !last.canBeAbsent {
                throw WireError(.badValue, at: entry.path, "this is never reached: what comes before it is always present")
            }
            list.append(try PushExpression(from: entry, dates))
            try refuseMixture(of: list, at: entry.path)
        }
        if list.isEmpty { throw WireError(.missingField, at: value.path, "this is empty: name at least one source") }
        return list
    }

    private static func byStatus(
        _ value: JSONValue, _ dates: DateFormat
    ) throws(WireError) -> [SessionStatus: PushExpression?] {
        var map: [SessionStatus: PushExpression?] = [:]
        var rest: PushExpression??
        var given: [PushExpression] = []
        for (key, member) in try value.members() {
            // null omits the field.
            let expression: PushExpression? = member.isNull ? nil : try PushExpression(from: member, dates)
            if let expression { given.append(expression) }
            try refuseMixture(of: given, at: member.path)
            if key == "else" {
                rest = .some(expression)
            } else if let status = SessionStatus(rawValue: key) {
                map.updateValue(expression, forKey: status)
            } else {
                throw noStatus(key, at: value.path)
            }
        }
        let missing = SessionStatus.allCases.filter { map[$0] == nil }
        if given.isEmpty { throw WireError(.missingField, at: value.path, "every status is null: leave the field out") }
        guard !missing.isEmpty else {
            if rest != nil {
                throw WireError(.badValue, at: "\(value.path).else", "this is never reached: every status is named here")
            }
            return map
        }
        guard let rest else {
            let names = missing.map(\.rawValue).joined(separator: ", ")
            throw WireError(
                .missingField, at: value.path,
                "it does not say what to show for \(names): add them, or \"else\" for all the others")
        }
        for status in missing { map.updateValue(rest, forKey: status) }
        return map
    }

    static func noStatus(_ key: String, at path: String) -> WireError {
        let words = SessionStatus.allCases.map(\.rawValue).joined(separator: ", ")
        return WireError(.badValue, at: "\(path).\(key)", "there is no such status; there are: \(words)")
    }

    private static func refuseMixture(of list: [PushExpression], at path: String) throws(WireError) {
        guard list.count > 1, kind(of: list) == nil else { return }
        let words = "\(list[0].kind.rawValue) and \(list[list.count - 1].kind.rawValue)"
        throw WireError(.wrongType, at: path, "one field cannot be both \(words): the app decodes one type")
    }

    private static func one(
        _ value: JSONValue, _ kind: Kind, _ wanted: String, _ dates: DateFormat
    ) throws(WireError) -> PushExpression {
        let expression = try PushExpression(from: value, dates)
        guard expression.kind == kind else { throw value.wrongType(wanted) }
        return expression
    }

    private static func two(
        _ value: JSONValue, _ kind: Kind, _ wanted: String, _ dates: DateFormat
    ) throws(WireError) -> (PushExpression, PushExpression) {
        let operands = try value.array()
        guard operands.count == 2 else { throw value.wrongType("two \(wanted)") }
        return (
            try one(operands[0], kind, "one of two \(wanted)", dates), try one(operands[1], kind, "one of two \(wanted)", dates)
        )
    }

    /// The start of the expression, for an error message that shows the correct form.
    var sketch: String {
        if case .source(let source) = self { "\"$\(source.rawValue)\"" } else { "…" }
    }
}

extension LanguageChoice {
    /// Reads `{"de": …, "else": …}`.
    init(from value: JSONValue, _ read: (JSONValue) throws(WireError) -> Value) throws(WireError) {
        var byCode: [String: Value] = [:]
        var otherwise: Value?
        for (key, member) in try value.members() {
            if key == "else" {
                otherwise = try read(member)
            } else if (2...8).contains(key.utf8.count),
                key.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) })
            {
                byCode[key] = try read(member)
            } else {
                throw WireError(
                    .badValue, at: "\(value.path).\(key)", "a language is named by its code, in small letters, such as de")
            }
        }
        guard let otherwise else {
            throw WireError(.missingField, at: "\(value.path).else", "every other language needs something to show, too")
        }
        self.init(byCode, otherwise: otherwise)
    }
}
