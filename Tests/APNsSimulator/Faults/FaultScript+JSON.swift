package import RelayProtocol

/// A fault script as a file:
///
///     {"rules": [
///       {"request": 3, "do": "answer", "reason": "ServiceUnavailable", "retryAfter": 5},
///       {"token": "ab12", "times": 2, "do": "hang"},
///       {"every": 10, "times": 0, "do": "late", "delay": 250},
///       {"request": 7, "do": "goAway", "lastStream": "before", "reason": "Shutdown", "closes": true}
///     ]}
///
/// | key | type | default | meaning |
/// |---|---|---|---|
/// | `request` | number | | the n-th request since the start |
/// | `every` | number | | each n-th request |
/// | `token`, `path`, `pushType` | string | | a device token, the start of the path, `apns-push-type` |
/// | `times` | number | 1 | how often the rule applies; 0 for always |
/// | `do` | string | | `answer late hang reset goAway cut close blackHole starveWindow duplicate limitStreams` |
/// | `delay` | milliseconds | 0 | before the answer |
/// | `processed` | true, false | by `do` | true if the push was processed, and may have reached the device |
/// | `reason`, `status` | string, number | | of `answer`; `reason` also of `goAway` |
/// | `timestamp`, `retryAfter` | milliseconds since 1970, seconds | | of `answer` |
/// | `code` | number | 2 | of `reset`: RFC 9113 §7; 7 (REFUSED_STREAM) was not processed |
/// | `lastStream` | `all`, `before` or a number | `all` | of `goAway` |
/// | `closes` | true, false | false | of `goAway`: the connection ends at once |
/// | `at` | `afterHeaders`, `insideHeaders` | `afterHeaders` | of `cut` |
/// | `resets` | true, false | false | of `close`: RST instead of FIN |
/// | `count` | number | 2 | of `duplicate`: copies; of `limitStreams`: streams |
extension FaultScript {
    package init(parsing bytes: [UInt8]) throws(WireError) { try self.init(json: try JSONDocument(parsing: bytes).root) }

    package init(json: JSONValue) throws(WireError) {
        for rule in try json.array("rules", countMax: 10_000) { rules.append(try Rule(json: rule)) }
    }
}

extension FaultScript.Rule {
    private static let keys: Set<String> = [
        "request", "every", "token", "path", "pushType", "times", "do", "delay", "processed", "reason", "status", "timestamp",
        "retryAfter", "code", "lastStream", "closes", "at", "resets", "count",
    ]

    fileprivate init(json: JSONValue) throws(WireError) {
        // A misspelled key would mean a fault that never occurs, and a test that always passes.
        for (key, value) in try json.members() where !Self.keys.contains(key) {
            throw WireError(.badValue, at: value.path, "a fault rule has no such key")
        }
        when = try FaultScript.Match(json: json)
        fault = try Fault(json: json)
        let times = try json.optionalInteger("times", in: 0...1_000_000) ?? 1
        timesLeft = times == 0 ? nil : Int(times)
    }
}

extension FaultScript.Match {
    fileprivate init(json: JSONValue) throws(WireError) {
        number = try json.optionalInteger("request", in: 1...JSONValue.integerMax).map { Int($0) }
        every = try json.optionalInteger("every", in: 1...JSONValue.integerMax).map { Int($0) }
        token = try json.optionalString("token")
        pathPrefix = try json.optionalString("path")
        pushType = try json.optionalString("pushType")
    }
}

extension Fault {
    private enum Word: String, CaseIterable {
        case answer, late, hang, reset, goAway, cut, close, blackHole, starveWindow, duplicate, limitStreams
    }

    fileprivate init(json: JSONValue) throws(WireError) {
        let word = try json.word("do", Word.self)
        let action = try Self.action(word, json)
        self.init(
            action: action, delay: try json.optionalInteger("delay", in: 0...86_400_000) ?? 0,
            isProcessed: try json.optional("processed")?.bool() ?? Self.isProcessed(action), name: word.rawValue)
        if answer != nil, isProcessed {
            throw WireError(.badValue, at: "\(json.path).processed", "an answer that is made up was not processed")
        }
    }

    /// The default of `processed`: false for a response of the script's own, and for refusals by the protocol.
    private static func isProcessed(_ action: Action) -> Bool {
        switch action {
        case .answer, .blackHole, .reset(code: refusedStream), .goAway(lastStream: .before, _, _): false
        default: true
        }
    }

    private static func action(_ word: Word, _ json: JSONValue) throws(WireError) -> Action {
        switch word {
        case .answer: return .answer(try answer(json))
        case .late: return .late
        case .hang: return .hang
        case .reset: return .reset(code: UInt32(try json.optionalInteger("code", in: 0...13) ?? 2))
        case .goAway:
            return .goAway(lastStream: try lastStream(json), reason: try reason(json), closes: try json.flag("closes"))
        case .cut: return .cut(json.optional("at") == nil ? .afterHeaders : try json.word("at"))
        case .close: return .close(resets: try json.flag("resets"))
        case .blackHole: return .blackHole
        case .starveWindow: return .starveWindow
        case .duplicate: return .duplicate(copies: Int(try json.optionalInteger("count", in: 2...100) ?? 2))
        case .limitStreams: return .limitStreams(Int(try json.optionalInteger("count", in: 0...100_000) ?? 2))
        }
    }

    private static func answer(_ json: JSONValue) throws(WireError) -> FaultScript.Answer {
        let reason = try reason(json)
        guard let status = try json.optionalInteger("status", in: 200...599).map({ Int($0) }) ?? reason?.status else {
            throw WireError(.missingField, at: "\(json.path).status", "an answer has a reason or a status")
        }
        return FaultScript.Answer(
            status: status, reason: reason, timestamp: try json.optionalInteger("timestamp"),
            retryAfterSeconds: try json.optionalInteger("retryAfter"))
    }

    private static func reason(_ json: JSONValue) throws(WireError) -> Reason? {
        try json.optional("reason") == nil ? nil : json.word("reason")
    }

    private static func lastStream(_ json: JSONValue) throws(WireError) -> Order.LastStream {
        guard let value = json.optional("lastStream") else { return .all }
        if let number = try? value.integer(in: 0...Int64(Int32.max)) { return .number(Int32(number)) }
        switch try value.string() {
        case "all": return .all
        case "before": return .before
        default: throw WireError(.badValue, at: value.path, "this is none of: all, before, a stream's number")
        }
    }
}
