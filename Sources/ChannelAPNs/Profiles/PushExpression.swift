import PushPlanner
import RelayProtocol

/// Computes one field of an app's types from a subject.
indirect enum PushExpression: Sendable, Equatable {
    /// Kind of an expression's value; an app's field takes one kind only.
    enum Kind: String, Sendable {
        case text, flag, object
        /// A whole number, and any number.
        case whole, fraction
        /// A point in time, not yet a field: `date` and `seconds` convert it.
        case moment

        /// The kind of a value that has either kind; nil if no field takes both.
        func joined(with other: Kind) -> Kind? {
            if self == other { return self }
            let numbers: [Kind] = [.whole, .fraction]
            return numbers.contains(self) && numbers.contains(other) ? .fraction : nil
        }
    }

    /// A member of an object. If one that is not optional is absent, so is the object.
    struct Field: Sendable, Equatable {
        var name: String
        var isOptional: Bool
        var expression: PushExpression
    }

    case source(PushSource)
    case text(String)
    case whole(Int64)
    /// A number or a flag as the profile spells it.
    case json([UInt8], Kind)
    /// The first expression that is present.
    case first([PushExpression])
    case object([Field])
    /// An expression for each status; nil if the value is absent in it.
    case byStatus([SessionStatus: PushExpression?])
    case byLanguage(LanguageChoice<PushExpression>)
    /// The quotient of two whole numbers, within 0 and 1; absent if the second is 0.
    case ratio(PushExpression, PushExpression)
    /// Dollars from micro-dollars.
    case dollars(PushExpression)
    /// Whole seconds between two moments, never negative.
    case seconds(PushExpression, PushExpression)
    case date(PushExpression, plusSeconds: Int64, DateFormat)
    /// The last component of a path.
    case name(PushExpression)
    /// The text itself if it is a UUID, else a UUID derived from it.
    case uuid(PushExpression)

    /// The format of an app's dates.
    enum DateFormat: String, Sendable, CaseIterable {
        /// Seconds since 2001-01-01: the format that a `Date` in Swift decodes, and the only one that a Live Activity can.
        case reference2001
        /// Seconds since 1970: for an app that declares a number.
        case unix
        /// The app has no dates.
        case none

        /// From 1970 to 2001, in seconds.
        static let referenceSeconds: Int64 = 978_307_200
    }

    var kind: Kind {
        switch self {
        case .source(let source): source.kind
        case .text, .name, .uuid: .text
        case .whole, .seconds, .date: .whole
        case .json(_, let kind): kind
        case .ratio, .dollars: .fraction
        case .object: .object
        case .first(let list): Self.kind(of: list) ?? .object
        case .byStatus(let map): Self.kind(of: map.values.compactMap { $0 }) ?? .object
        case .byLanguage(let choice): Self.kind(of: choice.all) ?? .object
        }
    }

    /// The common kind of the expressions; nil if no field could take all of them.
    static func kind(of list: some Sequence<PushExpression>) -> Kind? {
        var joined: Kind?
        for expression in list {
            guard let before = joined else {
                joined = expression.kind
                continue
            }
            joined = before.joined(with: expression.kind)
            if joined == nil { return nil }
        }
        return joined
    }

    var canBeAbsent: Bool {
        switch self {
        case .source(let source): source.canBeAbsent
        case .text, .whole, .json: false
        case .first(let list): list.allSatisfy(\.canBeAbsent)
        case .object(let fields): fields.contains { !$0.isOptional && $0.expression.canBeAbsent }
        case .byStatus(let map): map.values.contains { $0?.canBeAbsent ?? true }
        case .byLanguage(let choice): choice.all.contains(where: \.canBeAbsent)
        case .ratio, .name: true
        case .seconds(let from, let to): from.canBeAbsent || to.canBeAbsent
        case .dollars(let inner), .date(let inner, _, _), .uuid(let inner): inner.canBeAbsent
        }
    }

    /// The largest size of its JSON when every text is cut to nothing.
    var bytesWithoutText: Int {
        switch self {
        case .source(let source):
            switch source.kind {
            case .text: source.wordBytesMax + 2
            default: Self.numberBytesMax
            }
        case .text(let text): JSONWriter.string(text).count
        case .whole, .seconds, .date: Self.numberBytesMax
        case .ratio, .dollars: Self.numberBytesMax + 1
        case .json(let bytes, _): bytes.count
        case .first(let list): list.map(\.bytesWithoutText).max() ?? 0
        case .byStatus(let map): map.values.map { $0?.bytesWithoutText ?? 0 }.max() ?? 0
        case .byLanguage(let choice): choice.all.map(\.bytesWithoutText).max() ?? 0
        case .object(let fields): Self.bytesWithoutText(fields)
        // The name is as uncuttable as the path it comes from.
        case .name(let inner): inner.bytesWithoutText
        case .uuid: 38
        }
    }

    static func bytesWithoutText(_ fields: [Field]) -> Int {
        // Each member with its colon and a comma, and the braces.
        fields.reduce(2) { $0 + JSONWriter.string($1.name).count + 2 + $1.expression.bytesWithoutText }
    }

    /// Length of `-9223372036854775808`.
    private static let numberBytesMax = 20
}
