extension Device {
    package init(from value: JSONValue) throws(WireError) {
        let id: DeviceID = try value.object().identifier("device")
        let name = try value.string("name", bytesMax: WireLimits.nameBytesMax)
        if let web = value.optional("web") {
            self.init(
                id: id, name: name, profile: Self.profileOfBrowsers, address: .web(try WebSubscription(from: web)),
                system: try value.string("system", bytesMax: WireLimits.nameBytesMax))
            try readUnsealed(value)
        } else if let topic = value.optional("ntfy") {
            self.init(
                id: id, name: name, profile: Self.profileOfTopics, address: .ntfy(try NtfyTopic(from: topic)),
                system: Self.profileOfTopics)
            try readUnsealed(value)
        } else if let receiver = value.optional("receiver") {
            self.init(
                id: id, name: name, profile: Self.profileOfReceivers, address: .receiver(try Receiver(from: receiver)),
                system: Self.profileOfReceivers)
            try readUnsealed(value)
        } else {
            self.init(
                id: id, name: name, profile: try value.string("profile", bytesMax: WireLimits.nameBytesMax),
                address: .apns(APNsTokens(try value.word("environment"))),
                system: try value.string("system", bytesMax: WireLimits.nameBytesMax))
            address.alerts = try value.optionalToken("alertToken")
            address.starts = try value.optionalToken("startToken")
            hasFrequentPushes = try value.flag("frequentPushes")
            if value.optional("cards") != nil { cards = try value.word("cards") }
            if value.optional("starts") != nil { starts = try value.word("starts") }
            try choices.read(value, texts: PushText.allCases)
            sealKey = try value.optionalSealKey("sealKey")
            if text == .sealed, sealKey == nil {
                throw WireError(.missingField, at: "\(value.path).sealKey", "sealed text needs a key")
            }
        }
        language = try value.optionalLanguage("language")
    }

    /// Reads the choices of a device that has neither cards nor a seal key.
    private mutating func readUnsealed(_ value: JSONValue) throws(WireError) {
        (cards, starts) = (.off, .never)
        try choices.read(value, texts: PushText.unsealed)
        allowsOnLockScreen = try value.flag("allowOnLockScreen")
    }

    package var bytes: [UInt8] {
        JSONWriter.object { writer in
            switch address {
            case .apns(let tokens):
                write(to: &writer) {
                    $0.field("alertToken", tokens.alerts)
                    $0.field("startToken", tokens.starts)
                    $0.field("sealKey", sealKey)
                }
            case .web(let subscription):
                writeUnsealed(to: &writer) {
                    $0.field("system", system)
                    $0.object("web") { subscription?.write(to: &$0) }
                }
            case .ntfy(let topic): writeUnsealed(to: &writer) { $0.object("ntfy") { topic?.write(to: &$0) } }
            case .receiver(let receiver): writeUnsealed(to: &writer) { $0.object("receiver") { receiver?.write(to: &$0) } }
            }
        }
    }

    /// Encodes the device for clients: they may know that it can be reached, but its address is only for the relay and the push
    /// service.
    package var bytesWithoutSecrets: [UInt8] {
        JSONWriter.object { writer in
            write(to: &writer) {
                switch address {
                case .apns(let tokens):
                    $0.flag("alertToken", tokens.alerts != nil)
                    $0.flag("startToken", tokens.starts != nil)
                case .web(let subscription): $0.object("web") { $0.field("service", subscription?.service) }
                case .ntfy(let topic): $0.object("ntfy") { $0.field("server", topic?.server) }
                case .receiver(let receiver): $0.object("receiver") { receiver?.write(to: &$0) }
                }
            }
        }
    }

    private func writeUnsealed(to writer: inout JSONWriter, address: (inout JSONWriter) -> Void) {
        writer.field("device", id)
        writer.field("name", name)
        address(&writer)
        writer.field("language", language)
        choices.write(to: &writer)
    }

    private func write(to writer: inout JSONWriter, secrets: (inout JSONWriter) -> Void) {
        writer.field("device", id)
        writer.field("name", name)
        writer.field("profile", profile)
        if case .apns(let tokens) = address { writer.field("environment", tokens.environment.rawValue) }
        writer.field("system", system)
        secrets(&writer)
        writer.field("language", language)
        writer.flag("frequentPushes", hasFrequentPushes)
        writer.field("cards", cards.rawValue)
        writer.field("starts", starts.rawValue)
        choices.write(to: &writer)
    }

    /// True for a BCP 47 tag of at most five parts.
    package static func isLanguage(_ tag: String) -> Bool {
        let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count <= 5 && (2...8).contains(parts[0].utf8.count) && parts[0].allSatisfy { $0.isASCII && $0.isLetter }
            && parts.dropFirst().allSatisfy { part in
                (1...8).contains(part.utf8.count) && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            }
    }

    /// The major version: 18 of `18.1`.
    package var systemMajor: Int { Int(system.prefix { $0 != "." }) ?? 0 }
}

extension QuietHours {
    init(from value: JSONValue) throws(WireError) {
        self.init(
            from: try value.object().integer("from", in: 0...1_439), to: try value.integer("to", in: 0...1_439),
            timeZone: try value.string("timeZone", bytesMax: WireLimits.nameBytesMax),
            exceptRisks: try value.flag("exceptRisks"))
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
    /// 32 bytes in base64. An invalid key would otherwise only be noticed when the phone stays silent.
    func optionalSealKey(_ key: StaticString) throws(WireError) -> String? {
        guard let text = try optionalString(key, bytesMax: WireLimits.nameBytesMax) else { return nil }
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        let values = text.utf8.dropLast().compactMap { digits.firstIndex(of: $0) }
        // 43 digits carry 258 bits; the last two must be zero.
        guard text.utf8.count == 44, text.utf8.last == UInt8(ascii: "="), values.count == 43, values[42] & 3 == 0 else {
            throw WireError(.badValue, at: "\(path).\(key)", "a key is 32 bytes in base64")
        }
        return text
    }

    func optionalLanguage(_ key: StaticString) throws(WireError) -> String? {
        guard let tag = try optionalString(key, bytesMax: WireLimits.nameBytesMax) else { return nil }
        guard Device.isLanguage(tag) else {
            throw WireError(.badValue, at: "\(path).\(key)", "a language is named by a tag such as de-AT")
        }
        return tag
    }

    /// An APNs token: hexadecimal digits, converted to lower case.
    func optionalToken(_ key: StaticString) throws(WireError) -> String? {
        guard let text = try optionalString(key, bytesMax: WireLimits.tokenBytesMax) else { return nil }
        guard !text.isEmpty, text.utf8.count % 2 == 0, text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
            throw WireError(.badValue, at: "\(path).\(key)", "a token is written in hexadecimal digits, two for each byte")
        }
        return text.lowercased()
    }
}
