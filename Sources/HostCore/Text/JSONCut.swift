internal import RelayProtocol

/// Shortens a JSON value that is too long or too deep for an event; its long strings are cut first.
package enum JSONCut {
    /// Most levels of a body; the event around it has two more.
    static let depthMax = WireLimits.eventDepthMax - 2
    private static let tooDeep = "⟨nested deeper than \(depthMax)⟩"

    package static func fit(_ json: [UInt8], bytesMax: Int) -> (json: [UInt8], isCut: Bool) {
        let root = try? JSONDocument(parsing: json).root
        let isDeep = root?.isDeeper(than: depthMax) ?? true
        if json.count <= bytesMax, !isDeep { return (json, false) }
        if let root {
            for stringBytes in [256 << 10, 64 << 10, 16 << 10, 4 << 10, 1 << 10, 256] {
                let shorter = render(root, stringBytes: stringBytes, depthLeft: depthMax)
                if shorter.count <= bytesMax { return (shorter, true) }
            }
        }
        // Too many members rather than too long ones: their beginning is shown as text.
        let text = TextCut.fit(String(decoding: json, as: UTF8.self), bytesMax: bytesMax - 16).text
        return (JSONWriter.object { $0.field("cut", text) }, true)
    }

    private static func render(_ value: JSONValue, stringBytes: Int, depthLeft: Int) -> [UInt8] {
        // Most values of a long list are neither objects nor lists.
        if value.isObject, let members = try? value.members() {
            guard depthLeft > 0 else { return JSONWriter.string(tooDeep) }
            var bytes: [UInt8] = [UInt8(ascii: "{")]
            for (position, member) in members.enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                let key = TextCut.fit(member.key, bytesMax: 4 << 10)
                // Two long keys may begin alike, so each gets its position.
                bytes += JSONWriter.string(key.isCut ? "\(key.text) \(position)" : key.text)
                bytes.append(UInt8(ascii: ":"))
                bytes += render(member.value, stringBytes: stringBytes, depthLeft: depthLeft - 1)
            }
            return bytes + [UInt8(ascii: "}")]
        }
        if value.isArray, let elements = try? value.array() {
            guard depthLeft > 0 else { return JSONWriter.string(tooDeep) }
            return JSONWriter.array(elements.map { render($0, stringBytes: stringBytes, depthLeft: depthLeft - 1) })
        }
        guard value.bytes.count > stringBytes, value.isString, let text = try? value.string() else { return Array(value.bytes) }
        return JSONWriter.string(
            TextCut.fit(TextCut.rough(text, bytesMax: stringBytes * 3 / 4) + TextCut.marker, bytesMax: stringBytes).text)
    }
}
