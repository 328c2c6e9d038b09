/// One thing that the relay can be told: as a flag, in the environment, or in its settings file, always with the same words.
package struct Setting: Sendable {
    /// Name in the settings file: `listen`, `limits.connections`.
    package let key: String
    /// The kind of value, for usage lines: `seconds`, `file`.
    package let valueName: String
    /// A sentence.
    package let abstract: String
    /// The value that a configuration holds, as text that `apply` takes; nil: none.
    let text: @Sendable (ServerConfiguration) -> String?
    let apply: @Sendable (String, inout ServerConfiguration) throws(SettingValueError) -> Void

    /// `--limits-connections`
    package var flag: String { "--\(flagName)" }
    package var flagName: String { words.joined(separator: "-") }
    /// `HELIOGRAPH_LIMITS_CONNECTIONS`
    package var variable: String { Self.prefix + words.joined(separator: "_").uppercased() }
    /// Nil: without a value.
    package var standard: String? { text(ServerConfiguration(dataDirectory: "")) }

    static let prefix = "HELIOGRAPH_"

    /// `limits.pendingPerAddress` is limits, pending, per, address; `publicURL` is public, url.
    private var words: [String] {
        var words: [String] = []
        var word = ""
        var wasUpper = false
        for character in key {
            if character == "." || character.isUppercase && !wasUpper {
                words.append(word.lowercased())
                word = ""
            }
            if character != "." { word.append(character) }
            wasUpper = character.isUppercase
        }
        return (words + [word.lowercased()]).filter { !$0.isEmpty }
    }
}

/// Why a value is none for its setting: what it takes.
struct SettingValueError: Error {
    let takes: String
    init(_ takes: String) { self.takes = takes }
}

extension Setting {
    typealias Field<Value> = any WritableKeyPath<ServerConfiguration, Value> & Sendable

    static func integer(
        _ key: String, _ valueName: String, _ range: ClosedRange<Int>, _ field: Field<Int>, _ abstract: String
    ) -> Setting {
        Setting(
            key: key, valueName: valueName, abstract: abstract, text: { String($0[keyPath: field]) },
            apply: { (text, configuration) throws(SettingValueError) in
                guard let number = Int(text), range.contains(number) else {
                    throw SettingValueError("a number from \(range.lowerBound) to \(range.upperBound)")
                }
                configuration[keyPath: field] = number
            })
    }

    static func flag(_ key: String, _ field: Field<Bool>, _ abstract: String) -> Setting {
        Setting(
            key: key, valueName: "true|false", abstract: abstract, text: { String($0[keyPath: field]) },
            apply: { (text, configuration) throws(SettingValueError) in
                guard let value = Bool(text) else { throw SettingValueError("true or false") }
                configuration[keyPath: field] = value
            })
    }

    /// Elements between commas, or `none`. `read` gives nil for what is no element; `takes` describes the list.
    static func list<Element>(
        _ key: String, _ valueName: String, _ field: Field<[Element]>, countMax: Int, takes: String, _ abstract: String,
        text: @escaping @Sendable (Element) -> String, read: @escaping @Sendable (String) -> Element?
    ) -> Setting {
        Setting(
            key: key, valueName: valueName, abstract: abstract,
            text: {
                let elements = $0[keyPath: field]
                return elements.isEmpty ? "none" : elements.map(text).joined(separator: ",")
            },
            apply: { (text, configuration) throws(SettingValueError) in
                let parts = text == "none" ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
                let elements = parts.compactMap { read(String($0)) }
                guard elements.count == parts.count, elements.count <= countMax else { throw SettingValueError(takes) }
                configuration[keyPath: field] = elements
            })
    }

    /// `read` gives nil for what is none; `takes` says what is one.
    static func text(
        _ key: String, _ valueName: String, _ field: Field<String?>, takes: String = "a text that is not empty",
        _ abstract: String, read: @escaping @Sendable (String) -> String? = { $0.isEmpty ? nil : $0 }
    ) -> Setting {
        Setting(
            key: key, valueName: valueName, abstract: abstract, text: { $0[keyPath: field] },
            apply: { (text, configuration) throws(SettingValueError) in
                guard let value = read(text) else { throw SettingValueError(takes) }
                configuration[keyPath: field] = value
            })
    }
}
