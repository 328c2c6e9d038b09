internal import RelayProtocol

/// Takes secrets out, and makes things fit an event. Secrets first: what is cut off cannot be recognised.
extension ClaudeAdapter {
    /// A text without what looks like a secret.
    func clean(_ text: String) -> String { redactor.redact(text: text).text }

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
        let ends = clean(TextCut.rough(text, bytesMax: part)) + "\n" + clean(TextCut.rough(tailOf: text, bytesMax: part))
        return TextCut.middle(ends, bytesMax: bytesMax)
    }

    /// A tool's input as people may see it.
    func clean(_ input: JSONValue, bytesMax: Int) -> (json: [UInt8], isRedacted: Bool, isCut: Bool) {
        var isCut = false
        var clean: (json: [UInt8], redacted: Bool)
        if input.bytes.count > limits.scanBytes {
            let rough = JSONCut.fit(Array(input.bytes), bytesMax: limits.scanBytes)
            isCut = true
            guard let root = try? JSONDocument(parsing: rough.json).root else { return (Array("{}".utf8), false, true) }
            clean = redactor.redact(root)
        } else {
            clean = redactor.redact(input)
        }
        let fitting = JSONCut.fit(clean.json, bytesMax: bytesMax)
        return (fitting.json, clean.redacted, isCut || fitting.isCut)
    }
}
