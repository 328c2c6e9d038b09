package import RelayProtocol

/// Reads JSON of another program that may change its format: whatever is not as expected counts as missing.
extension JSONValue {
    package func text(_ key: StaticString) -> String? { (try? optionalString(key)) ?? nil }
    package func whole(_ key: StaticString) -> Int64? { (try? optionalInteger(key)) ?? nil }
    package func real(_ key: StaticString) -> Double? { try? optional(key)?.number() }
    package func isTrue(_ key: StaticString) -> Bool { (try? flag(key)) ?? false }
    package func list(_ key: StaticString) -> [JSONValue] { (try? optional(key)?.array()) ?? [] }
}
