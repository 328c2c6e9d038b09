internal import RelayProtocol

/// Shortens a JSON value that is too long for an event: its long strings first.
enum JSONCut {
    static func fit(_ json: [UInt8], bytesMax: Int) -> (json: [UInt8], isCut: Bool) {
        if json.count <= bytesMax { return (json, false) }
        if let root = try? JSONDocument(parsing: json).root {
            for stringBytes in [64 << 10, 16 << 10, 4 << 10, 1 << 10, 256] {
                let shorter = render(root, stringBytes: stringBytes)
                if shorter.count <= bytesMax { return (shorter, true) }
            }
        }
        // Too many members rather than too long ones: the beginning as text.
        let text = TextCut.fit(String(decoding: json, as: UTF8.self), bytesMax: bytesMax - 16).text
        return (JSONWriter.object { $0.field("cut", text) }, true)
    }

    private static func render(_ value: JSONValue, stringBytes: Int) -> [UInt8] {
        if let members = try? value.members() {
            var bytes: [UInt8] = [UInt8(ascii: "{")]
            for (position, member) in members.enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes += JSONWriter.string(TextCut.fit(member.key, bytesMax: 4 << 10).text)
                bytes.append(UInt8(ascii: ":"))
                bytes += render(member.value, stringBytes: stringBytes)
            }
            return bytes + [UInt8(ascii: "}")]
        }
        if let elements = try? value.array() {
            return JSONWriter.array(elements.map { render($0, stringBytes: stringBytes) })
        }
        guard value.bytes.count > stringBytes, let text = try? value.string() else { return Array(value.bytes) }
        return JSONWriter.string(
            TextCut.fit(TextCut.rough(text, bytesMax: stringBytes * 3 / 4) + TextCut.marker, bytesMax: stringBytes).text)
    }
}
