/// A piece of live text as it is sealed: `u64 place ‖ UTF-8`.
package struct LivePiece: Sendable, Equatable {
    /// Bytes of the same message or call that its host has sent before: what a relay leaves out, repeats or moves is seen.
    package let place: Int64
    package let text: String

    package init(at place: Int64, _ text: String) {
        self.place = place
        self.text = text
    }

    package init(parsing bytes: [UInt8]) throws(ConsentError) {
        var reader = StatementReader(bytes, of: "live")
        let place = try reader.count("place")
        guard let text = String(validating: reader.rest, as: UTF8.self) else {
            throw ConsentError(.badText, at: "live", "what is sealed is not UTF-8")
        }
        self.init(at: place, text)
    }

    package var bytes: [UInt8] {
        var writer = StatementWriter()
        writer.number(UInt64(place))
        writer.raw(Array(text.utf8))
        return writer.bytes
    }
}
