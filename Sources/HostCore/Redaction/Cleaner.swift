package import RelayProtocol

/// Removes secrets from an agent's text, and makes it fit an event. Secrets are removed first, because one that is cut off is not
/// recognised.
package struct Cleaner: Sendable {
    /// Longest part of a text that is searched for secrets, so that a huge input does not hold up other requests.
    private let scanBytes: Int
    /// Bytes searched beyond what is shown: no secret is longer.
    private let scanMargin: Int
    private let redactor = Redactor()

    package init(scanBytes: Int = 512 << 10, scanMargin: Int = 32 << 10) {
        self.scanBytes = scanBytes
        self.scanMargin = scanMargin
    }

    /// The text without parts that look like a secret.
    package func clean(_ text: String) -> String { redactor.redact(text: text).text }

    /// Cleans a text that may begin and end within a private key.
    package func cleanExcerpt(_ text: String) -> String { redactor.lines(of: text, isExcerpt: true).joined(separator: "\n") }

    /// The whole text without secrets, or nil if it is too long.
    package func cleanWhole(_ text: String, bytesMax: Int) -> String? {
        guard text.utf8.count <= bytesMax + scanMargin else { return nil }
        let fitting = TextCut.fit(clean(text), bytesMax: bytesMax)
        return fitting.isCut ? nil : fitting.text
    }

    /// The text without secrets; only its beginning if it is too long.
    package func clean(_ text: String, bytesMax: Int) -> String {
        let rough = TextCut.rough(text, bytesMax: bytesMax + scanMargin)
        let isRough = rough.utf8.count < text.utf8.count
        return TextCut.fit(clean(rough) + (isRough ? TextCut.marker : ""), bytesMax: bytesMax).text
    }

    /// The text without secrets; its beginning and end if it is too long.
    package func cleanEnds(_ text: String, bytesMax: Int) -> String {
        let part = bytesMax + scanMargin
        guard text.utf8.count > 2 * part else { return TextCut.middle(clean(text), bytesMax: bytesMax) }
        let start = clean(TextCut.rough(text, bytesMax: part))
        let ends = start + "\n" + clean(TextCut.rough(tailOf: text, bytesMax: part))
        return TextCut.middle(ends, bytesMax: bytesMax)
    }

    /// A tool's input as people may see it.
    /// Cut if the input does not fit, or if something is hidden that a person who allows `tool` must see.
    package func clean(_ input: JSONValue, of tool: String, bytesMax: Int) -> (json: [UInt8], isRedacted: Bool, isCut: Bool) {
        var isCut = false
        var clean: (json: [UInt8], redacted: Bool, isWhole: Bool)
        if input.bytes.count > scanBytes {
            let rough = JSONCut.fit(Array(input.bytes), bytesMax: scanBytes)
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
