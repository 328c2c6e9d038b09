/// A profile's values by language.
package struct LanguageChoice<Value: Sendable & Equatable>: Sendable, Equatable {
    package let byCode: [String: Value]
    /// For every other language.
    package let otherwise: Value

    package init(_ byCode: [String: Value] = [:], otherwise: Value) {
        (self.byCode, self.otherwise) = (byCode, otherwise)
    }

    package subscript(language: PushLanguage) -> Value { byCode[language.code] ?? otherwise }

    package var all: [Value] { byCode.values + [otherwise] }
}
