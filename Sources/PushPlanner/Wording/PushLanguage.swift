package import RelayProtocol

/// The language of what the relay itself writes to a device.
package struct PushLanguage: Sendable, Equatable {
    /// The language without script and region: `de` for `de-AT`.
    package let code: String

    private static let english = "en"
    private static let known: [String: any PushWords] = [english: EnglishWords(), "de": GermanWords()]

    /// `tag`: as a device reports it; nil for English.
    package init(tag: String?) {
        code = tag?.split(separator: "-").first?.lowercased() ?? Self.english
    }

    /// English for a language that has no words here.
    package var words: any PushWords { Self.known[code] ?? EnglishWords() }
}

extension Device {
    package var pushLanguage: PushLanguage { PushLanguage(tag: language) }
}
