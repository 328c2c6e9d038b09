package import RelayProtocol

/// Holds what reads and writes an object against the table's fields of it; each fault is a sentence.
package struct FieldCheck: Sendable {
    /// Reads a value, and returns it with the bytes written from it.
    package typealias Codec = @Sendable ([UInt8]) throws(WireError) -> (value: Any, bytes: [UInt8])

    private let name: String
    private let codec: Codec

    package init(_ name: String, _ codec: @escaping Codec) {
        self.name = name
        self.codec = codec
    }

    /// Faults of a record on disk. A stored record was checked when it arrived, so that bounds are not checked again.
    package func faults(ofStored table: WireObject, isUnread: (String) -> Bool) throws -> [String] {
        let examples = WireExamples.of(table.fields).map(JSONTree.object)
        return try writingFaults(examples)
            + examples.flatMap { example in
                WireMutation.all(table.fields, in: example, events: false).filter { !$0.isBound }.compactMap {
                    fault($0, of: example, isUnread: isUnread)
                }
            }
    }

    /// Every field of the examples is read and written, and nothing else is: with every field of the table there is nothing left that is
    /// absent, and what still is has no field. `exempt` never comes with this object.
    package func writingFaults(_ examples: [JSONTree], exempt: Set<String> = []) throws -> [String] {
        var faults: [String] = []
        var empty: Set<String> = []
        var filled: Set<String> = []
        for example in examples {
            let (value, bytes) = try codec(example.bytes)
            let written = try JSONTree(parsing: bytes)
            if written != example { faults.append("\(name) is read as \(example) and written as \(written)") }
            var look = Emptiness()
            look.look(at: value, "")
            empty.formUnion(look.empty)
            filled.formUnion(look.filled)
        }
        let unknown = empty.subtracting(filled).subtracting(exempt)
        return faults + unknown.sorted().map { "\(name): the table has no field for \($0)" }
    }

    /// Nil if the change is accepted or refused as it should be. A change to an unread field may be accepted.
    package func fault(_ mutation: WireMutation, of example: JSONTree, isUnread: (String) -> Bool = { _ in false }) -> String? {
        let place = "\(name) \(mutation.path.spelled)"
        do throws(WireError) {
            _ = try codec(example.replacing(mutation.path[...], with: mutation.value).bytes)
            return mutation.expected == .taken || isUnread(place) ? nil : "\(place) \(mutation.what): it was taken"
        } catch {
            let isExpected = mutation.expected == .refused(error.code) && error.path == mutation.path.spelled
            return isExpected ? nil : "\(place) \(mutation.what): \(error.code) at \(error.path)"
        }
    }
}

/// Finds values that are nil, false, zero or empty.
private struct Emptiness {
    var empty: Set<String> = []
    var filled: Set<String> = []

    mutating func look(at value: Any, _ path: String) {
        let mirror = Mirror(reflecting: value)
        switch (mirror.displayStyle, value) {
        case (.optional, _):
            note(path, isEmpty: mirror.children.isEmpty)
            if let some = mirror.children.first { look(at: some.value, path) }
        case (.collection, _), (.set, _):
            note(path, isEmpty: mirror.children.isEmpty)
            for child in mirror.children { look(at: child.value, path + "[]") }
        case (_, let flag as Bool): note(path, isEmpty: !flag)
        case (_, let number as Int64): note(path, isEmpty: number == 0)
        case (_, let text as String): note(path, isEmpty: text.isEmpty)
        default:
            for (place, child) in mirror.children.enumerated() {
                let label = child.label.map { $0.drop { $0 == "." } } ?? "\(place)"
                look(at: child.value, "\(path).\(label)")
            }
        }
    }

    private mutating func note(_ path: String, isEmpty: Bool) {
        if isEmpty { empty.insert(path) } else { filled.insert(path) }
    }
}
