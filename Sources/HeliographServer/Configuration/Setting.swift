/// A setting of the relay: as a flag, in the environment, or in its settings file, always with the same words.
package struct Setting: Sendable {
    /// Name in the settings file, such as `listen` or `limits.connections`.
    package let key: String
    /// The kind of value, for usage lines, such as `seconds` or `file`.
    package let valueName: String
    /// A sentence that describes the setting.
    package let abstract: String
    /// Returns the value in a configuration, as text that `apply` accepts; nil: none.
    let text: @Sendable (ServerConfiguration) -> String?
    let apply: @Sendable (String, inout ServerConfiguration) throws(SettingValueError) -> Void

    /// The flag, such as `--limits-connections`.
    package var flag: String { "--\(flagName)" }
    package var flagName: String { words.joined(separator: "-") }
    /// The environment variable, such as `HELIOGRAPH_LIMITS_CONNECTIONS`.
    package var variable: String { Self.prefix + words.joined(separator: "_").uppercased() }
    /// The default; nil: no value.
    package var standard: String? { text(ServerConfiguration(dataDirectory: "")) }

    static let prefix = "HELIOGRAPH_"

    /// The words of the key: limits, pending, per, address for `limits.pendingPerAddress`; public, url for `publicURL`.
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

/// Error of an invalid value, with a description of valid ones.
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

    /// A list of elements separated by commas, or `none`. `read` returns nil for an invalid element; `takes` describes the list.
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

    /// A text. `read` returns nil for an invalid one; `takes` describes valid ones.
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
