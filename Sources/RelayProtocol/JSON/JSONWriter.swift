/// Writes one JSON object, fields in the order they are given, straight into bytes.
package struct JSONWriter: Sendable {
    package private(set) var bytes: [UInt8]
    private var isEmpty = true

    /// Most objects fit: an array that grows from nothing is moved half a dozen times.
    private static let roomAtFirst = 240

    package init() {
        bytes = []
        bytes.reserveCapacity(Self.roomAtFirst)
        bytes.append(UInt8(ascii: "{"))
    }

    /// A message: its type stands first.
    package init(type: StaticString) {
        self.init()
        begin("type")
        append(quoted: type)
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
        JSONString.append(text, to: &bytes)
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
        begin(dynamic: key)
        JSONString.append(text, to: &bytes)
    }

    /// Likewise, with a value that is JSON already.
    package mutating func raw(dynamic key: String, _ json: some Sequence<UInt8>) {
        begin(dynamic: key)
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
        JSONString.append(text, to: &bytes)
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

    private mutating func begin(dynamic key: String) {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        JSONString.append(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func begin(_ key: StaticString) {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        append(quoted: key)
        bytes.append(UInt8(ascii: ":"))
    }

    /// A word of ours, in which nothing is to be escaped.
    private mutating func append(quoted word: StaticString) {
        bytes.append(UInt8(ascii: "\""))
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
    }
}
