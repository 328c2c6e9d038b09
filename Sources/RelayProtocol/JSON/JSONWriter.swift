/// Writes one JSON object, fields in the order they are given, straight into bytes.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8]
    private var isEmpty = true

    package init() {
        bytes = [UInt8(ascii: "{")]
    }

    /// A message: its type stands first.
    package init(type: StaticString) {
        self.init()
        field("type", "\(type)")
    }

    /// Closes the object and hands out its bytes.
    package consuming func finish() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    package static func object(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        body(&writer)
        return writer.finish()
    }

    package mutating func field(_ key: StaticString, _ text: String) {
        begin(key)
        JSONString.append(text.utf8, to: &bytes)
    }

    package mutating func field(_ key: StaticString, _ text: String?) {
        if let text { field(key, text) }
    }

    package mutating func field(_ key: StaticString, _ number: Int64) {
        begin(key)
        bytes.append(contentsOf: String(number).utf8)
    }

    package mutating func field(_ key: StaticString, _ number: Int64?) {
        if let number { field(key, number) }
    }

    package mutating func field(_ key: StaticString, _ flag: Bool) {
        begin(key)
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// For keys that are not known at build time, such as a log line's metadata.
    package mutating func field(dynamic key: String, _ text: String) {
        raw(dynamic: key, Self.string(text))
    }

    package mutating func raw(dynamic key: String, _ json: some Sequence<UInt8>) {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        JSONString.append(key.utf8, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(contentsOf: json)
    }

    /// Written only where true: an absent flag is false.
    package mutating func flag(_ key: StaticString, _ flag: Bool) {
        if flag { field(key, true) }
    }

    package mutating func field<Tag>(_ key: StaticString, _ identifier: Identifier<Tag>) { field(key, identifier.rawValue) }

    package mutating func field<Tag>(_ key: StaticString, _ identifier: Identifier<Tag>?) {
        if let identifier { field(key, identifier.rawValue) }
    }

    package mutating func object(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
        raw(key, JSONWriter.object(body))
    }

    /// A value that is JSON already: carried, never encoded again.
    package mutating func raw(_ key: StaticString, _ json: some Sequence<UInt8>) {
        begin(key)
        bytes.append(contentsOf: json)
    }

    package mutating func array(_ key: StaticString, _ elements: some Sequence<[UInt8]>) {
        begin(key)
        JSONWriter.append(array: elements, to: &bytes)
    }

    package mutating func strings(_ key: StaticString, _ texts: some Sequence<String>) {
        array(key, texts.map(JSONWriter.string))
    }

    package static func string(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        JSONString.append(text.utf8, to: &bytes)
        return bytes
    }

    package static func append(array elements: some Sequence<[UInt8]>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            bytes.append(contentsOf: element)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func begin(_ key: StaticString) {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        bytes.append(UInt8(ascii: "\""))
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        bytes.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: ":")])
    }
}
