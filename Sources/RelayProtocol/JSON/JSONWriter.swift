/// Writes one JSON object directly into bytes, with the fields in the given order.
package struct JSONWriter: Sendable {
    private var room: ByteRoom
    private var isEmpty = true

    /// Initial capacity: enough for most objects, as a buffer that grows from nothing is moved half a dozen times.
    private static let roomAtFirst = 500

    package init() { self.init(room: Self.roomAtFirst) }

    private init(room bytes: Int) {
        room = ByteRoom(room: bytes)
        room.append(UInt8(ascii: "{"))
    }

    /// Begins a message, whose first field is its type.
    package init(type: StaticString) {
        self.init()
        begin("type")
        append(quoted: type)
    }

    package consuming func finish() -> [UInt8] {
        room.append(UInt8(ascii: "}"))
        return room.finish()
    }

    /// `room`: initial capacity in bytes; nil for a default that fits most objects.
    package static func object(room: Int? = nil, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(room: room ?? roomAtFirst)
        body(&writer)
        return writer.finish()
    }

    package mutating func field(_ key: StaticString, _ text: String) {
        begin(key)
        JSONString.append(text, to: &room)
    }

    package mutating func field(_ key: StaticString, _ text: String?) {
        if let text { field(key, text) }
    }

    package mutating func field(_ key: StaticString, _ number: Int64) {
        begin(key)
        room.append(number)
    }

    package mutating func field(_ key: StaticString, _ number: Int64?) {
        if let number { field(key, number) }
    }

    package mutating func field(_ key: StaticString, _ flag: Bool) {
        begin(key)
        room.append(flag ? "true" : "false")
    }

    /// For keys that are not known at build time, such as a log line's metadata.
    package mutating func field(dynamic key: String, _ text: String) {
        begin(dynamic: key)
        JSONString.append(text, to: &room)
    }

    /// Writes a member whose value is JSON already.
    package mutating func raw(dynamic key: String, _ json: some Sequence<UInt8>) {
        begin(dynamic: key)
        append(json)
    }

    /// Writes the flag only if it is true: an absent flag is false.
    package mutating func flag(_ key: StaticString, _ flag: Bool) {
        if flag { field(key, true) }
    }

    package mutating func field<Tag>(_ key: StaticString, _ identifier: Identifier<Tag>) { field(key, identifier.rawValue) }

    package mutating func field<Tag>(_ key: StaticString, _ identifier: Identifier<Tag>?) {
        if let identifier { field(key, identifier.rawValue) }
    }

    package mutating func object(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
        begin(key)
        room.append(UInt8(ascii: "{"))
        isEmpty = true
        body(&self)
        room.append(UInt8(ascii: "}"))
        isEmpty = false
    }

    /// Writes a value that is JSON already, without encoding it again.
    package mutating func raw(_ key: StaticString, _ json: some Sequence<UInt8>) {
        begin(key)
        append(json)
    }

    package mutating func raw(_ key: StaticString, _ json: [UInt8]) {
        begin(key)
        room.append(json)
    }

    package mutating func array(_ key: StaticString, _ elements: some Sequence<[UInt8]>) {
        begin(key)
        Self.append(array: elements, to: &room)
    }

    package mutating func strings(_ key: StaticString, _ texts: some Sequence<String>) {
        begin(key)
        room.append(UInt8(ascii: "["))
        var isFirst = true
        for text in texts {
            if !isFirst { room.append(UInt8(ascii: ",")) }
            isFirst = false
            JSONString.append(text, to: &room)
        }
        room.append(UInt8(ascii: "]"))
    }

    package static func string(_ text: String) -> [UInt8] {
        var room = ByteRoom(room: text.utf8.count + 2)
        JSONString.append(text, to: &room)
        return room.finish()
    }

    package static func array(_ elements: some Sequence<[UInt8]>) -> [UInt8] {
        var room = ByteRoom(room: roomAtFirst)
        append(array: elements, to: &room)
        return room.finish()
    }

    private static func append(array elements: some Sequence<[UInt8]>, to room: inout ByteRoom) {
        room.append(UInt8(ascii: "["))
        var isFirst = true
        for element in elements {
            if !isFirst { room.append(UInt8(ascii: ",")) }
            isFirst = false
            room.append(element)
        }
        room.append(UInt8(ascii: "]"))
    }

    private mutating func append(_ json: some Sequence<UInt8>) {
        let isContiguous: Void? = json.withContiguousStorageIfAvailable { unsafe room.append($0) }
        if isContiguous == nil { room.append(Array(json)) }
    }

    private mutating func begin(dynamic key: String) {
        if !isEmpty { room.append(UInt8(ascii: ",")) }
        isEmpty = false
        JSONString.append(key, to: &room)
        room.append(UInt8(ascii: ":"))
    }

    private mutating func begin(_ key: StaticString) {
        let count = key.utf8CodeUnitCount
        let comma = isEmpty ? 0 : 1
        isEmpty = false
        // A comma, the key in quotes, and a colon.
        unsafe room.append(atMost: count + 4) { room in
            unsafe room[0] = UInt8(ascii: ",")
            let start = unsafe room + comma
            unsafe start[0] = UInt8(ascii: "\"")
            unsafe (start + 1).update(from: key.utf8Start, count: count)
            unsafe start[count + 1] = UInt8(ascii: "\"")
            unsafe start[count + 2] = UInt8(ascii: ":")
            return comma + count + 3
        }
    }

    /// Appends a string literal in quotes; it must need no escapes.
    private mutating func append(quoted word: StaticString) {
        room.append(UInt8(ascii: "\""))
        room.append(word)
        room.append(UInt8(ascii: "\""))
    }
}
