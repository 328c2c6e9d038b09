/// One statement with its values, which are sent in binary.
package struct PostgresStatement: Sendable {
    let sql: String
    /// True if the database keeps its plan for this connection. False for statements that are used once, such as a migration's.
    let isPrepared: Bool
    /// The bytes of all values, one after the other.
    private(set) var bytes: [UInt8] = []
    /// Range of each value in `bytes`; nil: NULL.
    private(set) var places: [Range<Int>?] = []

    /// `sql` must give the type of each value: `$1::bigint`.
    package init(_ sql: String, _ values: [PostgresValue], isPrepared: Bool = true) {
        self.sql = sql
        self.isPrepared = isPrepared
        bytes.reserveCapacity(values.reduce(0) { $0 + $1.byteCount })
        for value in values {
            let start = bytes.count
            places.append(value.encode(into: &bytes) ? start..<bytes.count : nil)
        }
    }

    package init(_ sql: String, _ values: PostgresValue...) { self.init(sql, values) }

    package static func once(_ sql: String, _ values: PostgresValue...) -> Self { Self(sql, values, isPrepared: false) }
}

/// A value in PostgreSQL's binary format.
package enum PostgresValue: Sendable {
    case null
    case int(Int32), bigint(Int64), text(String), bytea([UInt8])
    case ints([Int32]), bigints([Int64]), optionalBigints([Int64?]), texts([String]), byteas([[UInt8]])
    case optionalTexts([String?]), optionalByteas([[UInt8]?])

    package static func bigint(_ value: Int64?) -> Self { value.map { .bigint($0) } ?? .null }
    package static func text(_ value: String?) -> Self { value.map { .text($0) } ?? .null }
    package static func bytea(_ value: [UInt8]?) -> Self { value.map { .bytea($0) } ?? .null }

    /// Upper limit of the encoded size.
    fileprivate var byteCount: Int {
        let (head, length) = (20, 4)
        return switch self {
        case .null: 0
        case .int: 4
        case .bigint: 8
        case .text(let text): text.utf8.count
        case .bytea(let bytes): bytes.count
        case .ints(let values): head + values.count * (length + 4)
        case .bigints(let values): head + values.count * (length + 8)
        case .optionalBigints(let values): head + values.count * (length + 8)
        case .texts(let values): values.reduce(head) { $0 + length + $1.utf8.count }
        case .byteas(let values): values.reduce(head) { $0 + length + $1.count }
        case .optionalTexts(let values): values.reduce(head) { $0 + length + ($1?.utf8.count ?? 0) }
        case .optionalByteas(let values): values.reduce(head) { $0 + length + ($1?.count ?? 0) }
        }
    }

    /// Encodes the value; false for NULL.
    fileprivate func encode(into bytes: inout [UInt8]) -> Bool {
        switch self {
        case .null: return false
        case .int(let value): bytes.add(value)
        case .bigint(let value): bytes.add(value)
        case .text(let text): bytes += text.utf8
        case .bytea(let blob): bytes += blob
        case .ints(let values):
            bytes.addHead(of: values.count, type: ElementType.int4)
            for value in values {
                bytes.add(Int32(4))
                bytes.add(value)
            }
        case .bigints(let values):
            bytes.addHead(of: values.count, type: ElementType.int8)
            for value in values {
                bytes.add(Int32(8))
                bytes.add(value)
            }
        case .optionalBigints(let values):
            bytes.addHead(of: values.count, type: ElementType.int8, hasNulls: true)
            for value in values {
                bytes.add(Int32(value == nil ? -1 : 8))
                if let value { bytes.add(value) }
            }
        case .texts(let values):
            bytes.addHead(of: values.count, type: ElementType.text)
            for value in values {
                bytes.add(Int32(value.utf8.count))
                bytes += value.utf8
            }
        case .byteas(let values):
            bytes.addHead(of: values.count, type: ElementType.bytea)
            for value in values {
                bytes.add(Int32(value.count))
                bytes += value
            }
        case .optionalTexts(let values):
            bytes.addHead(of: values.count, type: ElementType.text, hasNulls: true)
            for value in values {
                bytes.add(Int32(value?.utf8.count ?? -1))
                if let value { bytes += value.utf8 }
            }
        case .optionalByteas(let values):
            bytes.addHead(of: values.count, type: ElementType.bytea, hasNulls: true)
            for value in values {
                bytes.add(Int32(value?.count ?? -1))
                if let value { bytes += value }
            }
        }
        return true
    }

    /// PostgreSQL's own type numbers, the same in every version.
    private enum ElementType {
        static let bytea: Int32 = 17
        static let int8: Int32 = 20
        static let int4: Int32 = 23
        static let text: Int32 = 25
    }
}

extension [UInt8] {
    fileprivate mutating func add(_ number: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: number.bigEndian) { unsafe append(contentsOf: $0) }
    }

    /// Header of an array with one dimension and indexes from 1; an empty array has no dimension.
    fileprivate mutating func addHead(of count: Int, type: Int32, hasNulls: Bool = false) {
        add(Int32(count == 0 ? 0 : 1))
        add(Int32(hasNulls ? 1 : 0))
        add(type)
        guard count > 0 else { return }
        add(Int32(count))
        add(Int32(1))
    }
}
