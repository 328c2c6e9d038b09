internal import HostCore
internal import RelayProtocol

/// Takes secrets out, and makes things fit an event. Secrets first: what is cut off cannot be recognised.
extension ClaudeAdapter {
    /// A text without what looks like a secret.
    func clean(_ text: String) -> String { redactor.redact(text: text).text }

    /// All of it, or nil where that is too long.
    func cleanWhole(_ text: String, bytesMax: Int) -> String? {
        guard text.utf8.count <= bytesMax + limits.scanMargin else { return nil }
        let fitting = TextCut.fit(clean(text), bytesMax: bytesMax)
        return fitting.isCut ? nil : fitting.text
    }

    /// Its beginning.
    func clean(_ text: String, bytesMax: Int) -> String {
        let rough = TextCut.rough(text, bytesMax: bytesMax + limits.scanMargin)
        let isRough = rough.utf8.count < text.utf8.count
        return TextCut.fit(clean(rough) + (isRough ? TextCut.marker : ""), bytesMax: bytesMax).text
    }

    /// Its beginning and its end.
    func cleanEnds(_ text: String, bytesMax: Int) -> String {
        let part = bytesMax + limits.scanMargin
        guard text.utf8.count > 2 * part else { return TextCut.middle(clean(text), bytesMax: bytesMax) }
        let start = clean(TextCut.rough(text, bytesMax: part))
        let ends = start + "\n" + clean(TextCut.rough(tailOf: text, bytesMax: part))
        return TextCut.middle(ends, bytesMax: bytesMax)
    }

    /// A tool's input as people may see it.
    /// It is cut where it does not fit, and where something is hidden that must be seen by whoever allows `tool`.
    func clean(_ input: JSONValue, of tool: String, bytesMax: Int) -> (json: [UInt8], isRedacted: Bool, isCut: Bool) {
        var isCut = false
        var clean: (json: [UInt8], redacted: Bool, isWhole: Bool)
        if input.bytes.count > limits.scanBytes {
            let rough = JSONCut.fit(Array(input.bytes), bytesMax: limits.scanBytes)
            isCut = true
            guard let root = try? JSONDocument(parsing: rough.json).root else { return (Array("{}".utf8), false, true) }
            clean = redactor.redact(root, of: tool)
        } else {
            clean = redactor.redact(input, of: tool)
        }
        let fitting = JSONCut.fit(clean.json, bytesMax: bytesMax)
        return (fitting.json, clean.redacted, isCut || fitting.isCut || !clean.isWhole)
    }
}
