internal import RelayProtocol

/// Reads what another program wrote and may write otherwise tomorrow: what is not as expected is not there.
extension JSONValue {
    func text(_ key: StaticString) -> String? { (try? optionalString(key)) ?? nil }
    func whole(_ key: StaticString) -> Int64? { (try? optionalInteger(key)) ?? nil }
    func real(_ key: StaticString) -> Double? { try? optional(key)?.number() }
    func isTrue(_ key: StaticString) -> Bool { (try? flag(key)) ?? false }
    func list(_ key: StaticString) -> [JSONValue] { (try? optional(key)?.array()) ?? [] }
}
