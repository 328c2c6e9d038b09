extension Device {
    package init(from value: JSONValue) throws(WireError) {
        self.init(
            id: try value.object().identifier("device"), name: try value.string("name", bytesMax: WireLimits.nameBytesMax),
            profile: try value.string("profile", bytesMax: WireLimits.nameBytesMax),
            address: .apns(APNsTokens(try value.word("environment"))),
            system: try value.string("system", bytesMax: WireLimits.nameBytesMax))
        address.alerts = try value.optionalToken("alertToken")
        address.starts = try value.optionalToken("startToken")
        hasFrequentPushes = try value.flag("frequentPushes")
        if value.optional("cards") != nil { cards = try value.word("cards") }
        if value.optional("starts") != nil { starts = try value.word("starts") }
        if value.optional("text") != nil { text = try value.word("text") }
        sealKey = try value.optionalSealKey("sealKey")
        if text == .sealed, sealKey == nil {
            throw WireError(.missingField, at: "\(value.path).sealKey", "sealed text needs a key")
        }
        if value.optional("kinds") != nil {
            kinds = []
            for entry in try value.array("kinds", countMax: AlertKind.allCases.count) {
                guard let kind = AlertKind(rawValue: try entry.string()) else {
                    let words = AlertKind.allCases.map(\.rawValue).joined(separator: ", ")
                    throw WireError(.badValue, at: entry.path, "this is none of: \(words)")
                }
                kinds.insert(kind)
            }
        }
        if value.optional("muted") != nil {
            for entry in try value.array("muted", countMax: WireLimits.mutedSessionsMax) {
                muted.insert(try entry.identifier())
            }
        }
        if let quiet = value.optional("quiet") { self.quiet = try QuietHours(from: quiet) }
        hidesCost = try value.flag("hidesCost")
    }

    package var bytes: [UInt8] {
        JSONWriter.object { writer in
            write(to: &writer) {
                $0.field("alertToken", address.alerts)
                $0.field("startToken", address.starts)
                $0.field("sealKey", sealKey)
            }
        }
    }

    /// For clients: that there are tokens is everybody's business, what they are is the relay's and Apple's.
    package var bytesWithoutSecrets: [UInt8] {
        JSONWriter.object { writer in
            write(to: &writer) {
                $0.flag("alertToken", address.alerts != nil)
                $0.flag("startToken", address.starts != nil)
            }
        }
    }

    private func write(to writer: inout JSONWriter, secrets: (inout JSONWriter) -> Void) {
        writer.field("device", id)
        writer.field("name", name)
        writer.field("profile", profile)
        writer.field("environment", address.environment.rawValue)
        writer.field("system", system)
        secrets(&writer)
        writer.flag("frequentPushes", hasFrequentPushes)
        writer.field("cards", cards.rawValue)
        writer.field("starts", starts.rawValue)
        writer.field("text", text.rawValue)
        writer.strings("kinds", AlertKind.allCases.filter(kinds.contains).map(\.rawValue))
        writer.strings("muted", muted.map(\.rawValue).sorted())
        if let quiet {
            writer.object("quiet") {
                $0.field("from", quiet.from)
                $0.field("to", quiet.to)
                $0.field("timeZone", quiet.timeZone)
            }
        }
        writer.flag("hidesCost", hidesCost)
    }

    /// The number before the first point: 18 of `18.1`.
    package var systemMajor: Int { Int(system.prefix { $0 != "." }) ?? 0 }
}

extension QuietHours {
    init(from value: JSONValue) throws(WireError) {
        self.init(
            from: try value.object().integer("from", in: 0...1_439), to: try value.integer("to", in: 0...1_439),
            timeZone: try value.string("timeZone", bytesMax: WireLimits.nameBytesMax))
    }
}

extension CardReport {
    package init(from value: JSONValue) throws(WireError) {
        self.init(
            card: try value.object().identifier("card"), session: try value.optionalIdentifier("session"),
            token: try value.optionalToken("token"), state: try value.word("state"))
    }

    package var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("card", card)
            writer.field("session", session)
            writer.field("token", token)
            writer.field("state", state.rawValue)
        }
    }
}

extension JSONValue {
    /// 32 bytes in base64. A key that cannot be one would only be noticed when the phone stays silent.
    func optionalSealKey(_ key: StaticString) throws(WireError) -> String? {
        guard let text = try optionalString(key, bytesMax: WireLimits.nameBytesMax) else { return nil }
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let values = text.utf8.dropLast().compactMap { digits.firstIndex(of: $0) }
        // 43 digits carry 258 bits: the last two are over.
        guard text.utf8.count == 44, text.utf8.last == UInt8(ascii: "="), values.count == 43, values[42] & 3 == 0 else {
            throw WireError(.badValue, at: "\(path).\(key)", "a key is 32 bytes in base64")
        }
        return text
    }

    /// A token of APNs: hexadecimal digits, lower case from here on.
    func optionalToken(_ key: StaticString) throws(WireError) -> String? {
        guard let text = try optionalString(key, bytesMax: WireLimits.tokenBytesMax) else { return nil }
        guard !text.isEmpty, text.utf8.count % 2 == 0, text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
            throw WireError(.badValue, at: "\(path).\(key)", "a token is written in hexadecimal digits, two for each byte")
        }
        return text.lowercased()
    }
}
