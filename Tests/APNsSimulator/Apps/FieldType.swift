internal import RelayProtocol

/// The type of one field of an app's Swift struct, as described from its source, and what `JSONDecoder` with its default strategies
/// accepts for it.
///
/// | in a description | in Swift |
/// |---|---|
/// | `"string"`, `"integer"`, `"number"`, `"boolean"` | `String`, `Int`, `Double`, `Bool` |
/// | `"date"` | `Date`: seconds since 2001, as a number |
/// | `["active", "done"]` | an enum of these strings |
/// | `{"list": TYPE}` | an array |
/// | `{"fields": {"name": TYPE, …}}` | a struct |
/// | `"any"` | any undescribed `Codable` |
///
/// The name of a field that may be left out ends in `?`. Fields that are not described are ignored, as in Swift.
indirect enum FieldType: Sendable, Equatable {
    case scalar(Scalar)
    case oneOf([String])
    case list(FieldType)
    case fields([Field])

    struct Field: Sendable, Equatable {
        let name: String
        let isOptional: Bool
        let type: FieldType
    }

    /// Depth of nested structs.
    private static let depthMax = 8
    private static let fieldsMax = 200

    enum Scalar: String, CaseIterable { case string, integer, number, boolean, date, any }

    init(describedBy value: JSONValue, depth: Int = 0) throws(WireError) {
        guard depth < Self.depthMax else { throw WireError(.badValue, at: value.path, "this is too deep") }
        if value.isString {
            self = .scalar(try value.word())
        } else if value.isObject, let element = value.optional("list") {
            self = .list(try FieldType(describedBy: element, depth: depth + 1))
        } else if value.isObject {
            self = try Self.structure(try value.required("fields"), depth: depth + 1)
        } else {
            var words: [String] = []
            for word in try value.array() { words.append(try word.string()) }
            self = .oneOf(words)
        }
    }

    /// `{"name": TYPE, …}`: a struct.
    static func structure(_ value: JSONValue, depth: Int = 0) throws(WireError) -> FieldType {
        let members = try value.members()
        guard members.count <= fieldsMax else { throw WireError(.badValue, at: value.path, "these are too many fields") }
        var fields: [Field] = []
        for (key, type) in members {
            let isOptional = key.hasSuffix("?")
            let type = try FieldType(describedBy: type, depth: depth)
            fields.append(Field(name: isOptional ? String(key.dropLast()) : key, isOptional: isOptional, type: type))
        }
        return .fields(fields)
    }

    /// Throws if Swift would not decode it.
    func check(_ value: JSONValue) throws(WireError) {
        switch self {
        case .scalar(let scalar): try scalar.check(value)
        case .oneOf(let words):
            guard words.contains(try value.string()) else {
                throw WireError(.badValue, at: value.path, "this is none of: \(words.joined(separator: ", "))")
            }
        case .list(let element): for one in try value.array() { try element.check(one) }
        case .fields(let fields):
            let members = Dictionary(try value.members(), uniquingKeysWith: { _, last in last })
            for field in fields {
                switch members[field.name] {
                case let found? where !(found.isNull && field.isOptional): try field.type.check(found)
                case nil where !field.isOptional:
                    throw WireError(.badValue, at: value.path, "this lacks \(field.name)")
                default: break
                }
            }
        }
    }
}

extension FieldType.Scalar {
    func check(_ value: JSONValue) throws(WireError) {
        switch self {
        case .string: _ = try value.string()
        case .integer: _ = try value.integer()
        case .number, .date: _ = try value.number()
        case .boolean: _ = try value.bool()
        case .any: break
        }
    }
}
