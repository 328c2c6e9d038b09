import PushPlanner
import RelayProtocol

/// The value of an expression for one subject.
enum PushValue {
    /// Never cut.
    case word(String)
    case text(String)
    case whole(Int64)
    case json([UInt8])
    /// A point in time in milliseconds since 1970; not a field by itself.
    case moment(Int64)
    case object([(name: String, value: PushValue)])

    /// JSON of the value, each text cut to this many bytes between its quotes.
    func bytes(textMax: Int) -> [UInt8] {
        switch self {
        case .word(let word): JSONWriter.string(word)
        case .text(let text): JSONWriter.string(TextFit.cut(text, bytesMax: textMax))
        case .whole(let number), .moment(let number): Array(String(number).utf8)
        case .json(let bytes): bytes
        case .object(let members):
            JSONWriter.object { writer in
                for member in members { writer.raw(dynamic: member.name, member.value.bytes(textMax: textMax)) }
            }
        }
    }

    /// JSON of at most `bytesMax` bytes: the longest texts are cut first, all of them to the same length. The rest must fit without
    /// any text, which is checked for profiles.
    func bytes(fitting bytesMax: Int, textMax: Int) -> [UInt8] {
        let length = TextFit.longest(upTo: textMax) { bytes(textMax: $0).count <= bytesMax }
        let fitting = bytes(textMax: length)
        precondition(fitting.count <= bytesMax, "\(bytesMax) bytes hold nothing that a profile makes")
        return fitting
    }
}

extension PushExpression {
    /// Nil if the value is absent.
    func value(of subject: PushSubject) -> PushValue? {
        switch self {
        case .source(let source): return source.value(of: subject)
        case .text(let text): return .word(text)
        case .whole(let number): return .whole(number)
        case .json(let bytes, _): return .json(bytes)
        case .first(let list):
            for expression in list {
                if let value = expression.value(of: subject) { return value }
            }
            return nil
        case .object(let fields): return Self.object(fields, of: subject)
        case .byStatus(let map): return (map[subject.summary.status] ?? nil)?.value(of: subject)
        case .byLanguage(let choice): return choice[subject.language].value(of: subject)
        case .ratio(let part, let whole): return Self.ratio(part.whole(of: subject), of: whole.whole(of: subject))
        case .dollars(let inner): return inner.whole(of: subject).map(Self.dollars)
        case .seconds(let from, let to):
            guard let from = from.moment(of: subject), let to = to.moment(of: subject) else { return nil }
            let (milliseconds, overflowed) = to.subtractingReportingOverflow(from)
            return .whole(overflowed ? 0 : max(0, milliseconds / 1_000))
        case .date(let inner, let plusSeconds, let format):
            guard let moment = inner.moment(of: subject) else { return nil }
            return .whole(moment / 1_000 + plusSeconds - (format == .reference2001 ? DateFormat.referenceSeconds : 0))
        case .name(let inner):
            guard let path = inner.text(of: subject), let last = path.split(separator: "/").last else { return nil }
            return .text(String(last))
        case .uuid(let inner): return inner.text(of: subject).map { .word(UUIDText.of($0)) }
        }
    }

    /// Nil if a required field is absent.
    static func object(_ fields: [Field], of subject: PushSubject) -> PushValue? {
        var members: [(name: String, value: PushValue)] = []
        for field in fields {
            if let value = field.expression.value(of: subject) {
                members.append((field.name, value))
            } else if !field.isOptional {
                return nil
            }
        }
        return .object(members)
    }

    // MARK: - Operands

    private func whole(of subject: PushSubject) -> Int64? {
        if case .whole(let number) = value(of: subject) { number } else { nil }
    }

    private func moment(of subject: PushSubject) -> Int64? {
        if case .moment(let moment) = value(of: subject) { moment } else { nil }
    }

    private func text(of subject: PushSubject) -> String? {
        switch value(of: subject) {
        case .word(let text), .text(let text): text
        default: nil
        }
    }

    // MARK: - Numbers

    /// The quotient with four decimal places.
    private static func ratio(_ part: Int64?, of whole: Int64?) -> PushValue? {
        guard let part, let whole, whole > 0 else { return nil }
        let share = (Double(min(max(0, part), whole)) / Double(whole) * 10_000).rounded()
        return decimal(Int64(share), places: 4)
    }

    private static func dollars(_ microUSD: Int64) -> PushValue { decimal(max(0, microUSD), places: 6) }

    /// `number` with its decimal point moved and no trailing zeros: exact, unlike a Double, which would give 0.30000000000000004.
    private static func decimal(_ number: Int64, places: Int) -> PushValue {
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        var fraction = padded.suffix(places)
        while fraction.last == "0" { fraction.removeLast() }
        let whole = padded.dropLast(places)
        return .json(Array((fraction.isEmpty ? "\(whole)" : "\(whole).\(fraction)").utf8))
    }
}
