/// Secrets recognised by the syntax around them: those in addresses.
extension SecretScanner {
    // MARK: - URLs

    /// Finds the passwords in `scheme://user:password@host`, and a token alone before the `@`.
    mutating func findURLPasswords() {
        var index = 0
        while index + 3 < bytes.count {
            guard bytes[index] == UInt8(ascii: ":"), starts("://", at: index) else {
                index += 1
                continue
            }
            let start = index + 3
            let authorityEnd = end(from: start, max: Self.quotedBytesMax) { byte in
                !Self.isEndOfAuthority(byte)
            }
            index = authorityEnd
            guard let at = bytes[start..<authorityEnd].lastIndex(of: UInt8(ascii: "@")), at > start else { continue }
            let user = bytes[start..<at]
            if let colon = user.firstIndex(of: UInt8(ascii: ":")) {
                if Self.isWorthHiding(bytes[(colon + 1)..<at]) { hideValue(colon + 1..<at) }
            } else if user.count >= 20, user.contains(where: Self.isDigit), user.contains(where: Self.isLetter) {
                hideValue(start..<at)
            }
        }
    }

    private static func isEndOfAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...32, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\""), UInt8(ascii: "'"),
            UInt8(ascii: "`"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"):
            true
        default: false
        }
    }

    // MARK: - Addresses that are secrets themselves

    /// Prefixes of addresses whose secret part lets anyone who knows it write to them.
    private static let hooks: [StaticString] = [
        "hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/", "discord.com/api/webhooks/",
        "discordapp.com/api/webhooks/", "discord.com/api/v10/webhooks/", "webhook.office.com/webhookb2/",
        "outlook.office.com/webhook/",
        "hooks.zapier.com/hooks/catch/", "maker.ifttt.com/trigger/", "hc-ping.com/", "open.feishu.cn/open-apis/bot/v2/hook/",
        "open.larksuite.com/open-apis/bot/v2/hook/", "hooks.chime.aws/incomingwebhooks/", "hook.eu1.make.com/",
        "hook.us1.make.com/",
    ]
    private static let hookBytesMin = 20

    mutating func findHooks() {
        var index = 0
        while index < bytes.count {
            guard "hdwmo".utf8.contains(bytes[index]), let hook = Self.hooks.first(where: { starts($0, at: index) }) else {
                index += 1
                continue
            }
            let start = index + hook.utf8CodeUnitCount
            let pathEnd = end(from: start, max: Self.quotedBytesMax) {
                Self.isNameByte($0) || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "%")
            }
            let path = bytes[start..<pathEnd]
            if path.count >= Self.hookBytesMin, path.contains(where: Self.isDigit) { hide(start..<pathEnd) }
            index = pathEnd
        }
    }

    // MARK: - SQL and netrc

    private static let statementBytesMax = 200

    /// Finds the secrets in `CREATE USER x WITH PASSWORD 'V'`, `IDENTIFIED BY 'V'`, `PASSWORD('V')` and `machine x login y password
    /// V`.
    mutating func findStatements() {
        var index = 0
        while index < bytes.count {
            let isBy = starts("identified ", at: index, ignoringCase: true)
            guard isBy || starts("password", at: index, ignoringCase: true), !Self.isNameByte(byte(index - 1) ?? 32) else {
                index += 1
                continue
            }
            index += isBy ? 11 : 8
            if isBy {
                let by = end(from: index, max: 60) { !Self.isQuote($0) && $0 != 10 && $0 != UInt8(ascii: ";") }
                guard Self.lowercased(bytes[index..<by]).contains("by ") else { continue }
                hideQuoted(at: by)
            } else if byte(index) == UInt8(ascii: "("), hasWord("set", before: index) || hasWord("user", before: index) {
                hideQuoted(at: index + 1)
            } else if hasWord("machine", before: index) || hasWord("default", before: index), hasWord("login", before: index) {
                let start = end(from: index, max: 16) { $0 <= 32 }
                let wordEnd = end(from: start) { !Self.isOperator($0) }
                if start > index, Self.isWorthHiding(bytes[start..<wordEnd]) { hideValue(start..<wordEnd) }
            } else if byte(index).map(Self.isBlank) == true, hasWord("user", before: index) || hasWord("role", before: index) {
                hideQuoted(at: end(from: index, max: 8, while: Self.isBlank))
            }
        }
    }

    /// True if the word stands in the same statement before `end`.
    private func hasWord(_ word: String, before end: Int) -> Bool {
        let start = max(0, end - Self.statementBytesMax)
        let statement = bytes[start..<end].split(separator: UInt8(ascii: ";")).last ?? []
        return Self.lowercased(statement).contains("\(word) ")
    }

    private mutating func hideQuoted(at start: Int) {
        guard let inside = quotedInside(at: start), Self.isWorthHiding(bytes[inside]) else { return }
        hideValue(inside)
    }
}
