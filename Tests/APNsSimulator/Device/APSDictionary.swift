internal import RelayProtocol

/// The `aps` object of a payload.
struct APSDictionary {
    let json: JSONValue
    /// The whole payload, including custom keys next to `aps`.
    let payload: JSONValue

    init(parsing bytes: [UInt8]) throws(DropError) {
        do throws(WireError) {
            payload = try JSONDocument(parsing: bytes).root
        } catch {
            throw DropError(.badJSON, "\(error.message) (\(error.path))")
        }
        guard let aps = payload.optional("aps"), aps.isObject else { throw DropError(.noAPS) }
        json = aps
    }

    /// Nil also if it is not a string.
    func text(_ key: StaticString) -> String? { (try? json.optionalString(key)) ?? nil }

    /// Whole seconds; a fraction, as from `Date.now() / 1000`, is refused, because a device need not accept it.
    func seconds(_ key: StaticString) throws(DropError) -> Int64? {
        guard let value = json.optional(key) else { return nil }
        guard let seconds = try? value.integer(in: 0...JSONValue.integerMax) else {
            throw DropError(key.isTimestamp ? .badTimestamp : .badField, "\(key) is no whole number")
        }
        return seconds
    }

    func number(_ key: StaticString) throws(DropError) -> Double? {
        guard let value = json.optional(key) else { return nil }
        guard let number = try? value.number() else { throw DropError(.badField, "\(key) is no number") }
        return number
    }

    /// The alert of a Live Activity: an object, with its sound inside.
    func activityAlert() throws(DropError) -> (title: String, body: String, hasSound: Bool)? {
        guard let alert = json.optional("alert") else { return nil }
        guard alert.isObject else { throw DropError(.badField, "alert is no object") }
        return (Self.text(alert, "title"), Self.text(alert, "body"), alert.optional("sound") != nil)
    }

    /// A text or the key of a localised one.
    static func text(_ alert: JSONValue, _ key: StaticString) -> String {
        guard let value = alert.optional(key) else { return "" }
        if let text = try? value.string() { return text }
        return (try? value.string("loc-key")) ?? ""
    }
}

extension StaticString {
    fileprivate var isTimestamp: Bool { "\(self)" == "timestamp" }
}
