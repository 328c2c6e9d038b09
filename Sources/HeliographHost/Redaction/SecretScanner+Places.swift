/// Secrets that are known by the syntax they stand in: URLs and PEM blocks.
extension SecretScanner {
    // MARK: - URLs

    /// `scheme://user:password@host`, and a token alone before the `@`.
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

    // MARK: - Private keys

    /// The lines of a key have 64 characters or more, but for the last.
    private static let keyLineBytesMin = 40

    /// The lines between `-----BEGIN … PRIVATE KEY-----` and its end.
    ///
    /// Only a block that is a key from its first to its last line is hidden, or a command behind such a header could be.
    mutating func findPrivateKeys(hidesTorn: Bool) {
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "-"), starts("-----BEGIN ", at: index) else {
                index += 1
                continue
            }
            index += 11
            let labelEnd = end(from: index, max: 40) { $0 == 32 || ($0 >= 65 && $0 <= 90) }
            guard starts("-----", at: labelEnd), Self.isPrivateKey(bytes[index..<labelEnd]) else { continue }
            if let start = afterLineBreak(labelEnd + 5), let bodyEnd = keyEnd(from: start, label: index..<labelEnd) {
                wholeKeys += 1
                hide(start..<beforeLineBreak(bodyEnd, from: start))
                index = bodyEnd
                continue
            }
            tornKeys += 1
            guard hidesTorn else { continue }
            let start = afterLineBreak(labelEnd + 5) ?? labelEnd + 5
            var bodyEnd = start
            while let next = keyLineEnd(from: bodyEnd) { bodyEnd = next }
            if bodyEnd > start { hide(start..<beforeLineBreak(bodyEnd, from: start)) }
            index = bodyEnd
        }
    }

    /// Where the line `-----END …-----` of this key begins; nil where something else than a key comes before it.
    ///
    /// All lines of base64 have the same length but for the last, and none begins as an absolute path does.
    private func keyEnd(from start: Int, label: Range<Int>) -> Int? {
        var line = start
        var width: Int?
        var isLast = false
        while true {
            let first = end(from: line, max: Self.sampleBytes, while: Self.isBlank)
            if starts("-----END ", at: first) {
                let name = first + 9
                guard width != nil, name + label.count <= bytes.count,
                    bytes[name..<name + label.count] == bytes[label], starts("-----", at: name + label.count)
                else { return nil }
                return line
            }
            if starts("Proc-Type: 4,ENCRYPTED", at: first) || starts("DEK-Info: AES", at: first) {
                let lineEnd = end(from: first, max: 80) { Self.isAlphanumeric($0) || $0 == 32 || (44...58).contains($0) }
                guard width == nil, let next = afterLineBreak(lineEnd) else { return nil }
                line = next
                continue
            }
            let lineEnd = end(from: first, max: Self.sampleBytes, while: Self.isBase64)
            guard let next = afterLineBreak(lineEnd) else { return nil }
            line = next
            if lineEnd == first { continue }
            let text = bytes[first..<lineEnd]
            // The checksum of a PGP key comes behind its last line.
            if width != nil, text.count == 5, text.first == UInt8(ascii: "=") {
                isLast = true
                continue
            }
            let isShort = text.count < width ?? Self.keyLineBytesMin
            guard !isLast, text.first != UInt8(ascii: "/"), text.count <= width ?? text.count, width != nil || !isShort,
                isShort || text.contains(where: { $0 >= 65 && $0 <= 90 })
            else { return nil }
            width = width ?? text.count
            isLast = isShort || text.last == UInt8(ascii: "=")
        }
    }

    private static func isBase64(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
    }

    private static func isPrivateKey(_ label: ArraySlice<UInt8>) -> Bool {
        let text = String(decoding: label, as: UTF8.self)
        return text.hasSuffix("PRIVATE KEY") || text.hasSuffix("PRIVATE KEY BLOCK")
    }

    /// Where the line after this one begins, if this one belongs to a key; nil behind the key's last line.
    ///
    /// A path like `/usr/sbin/poweroff` is base64 too, but seldom has a capital letter.
    private func keyLineEnd(from start: Int) -> Int? {
        let first = end(from: start, while: Self.isBlank)
        // `Proc-Type: 4,ENCRYPTED`, `DEK-Info: …`, a blank line: they tell nothing.
        if starts("Proc-Type: 4,ENCRYPTED", at: first) || starts("DEK-Info: AES", at: first) {
            return afterLineBreak(end(from: first, max: 80) { Self.isAlphanumeric($0) || $0 == 32 || (44...58).contains($0) })
        }
        let index = end(from: first) { byte in
            Self.isAlphanumeric(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
        }
        let next = afterLineBreak(index)
        if index == first { return next }
        let line = bytes[first..<index]
        let isEncoded = line.contains { $0 >= 65 && $0 <= 90 } && line.contains { $0 >= 97 || Self.isDigit($0) }
        guard isEncoded || line.last == UInt8(ascii: "=") || line.first == UInt8(ascii: "=") else { return nil }
        if line.count >= Self.keyLineBytesMin { return next ?? index }
        // A shorter line is a key's last, or not a key's.
        let following = next ?? index
        return starts("-----END", at: following) || byte(following) == UInt8(ascii: "=") ? following : nil
    }

    /// A line break, or one that is spelled as an escape inside another text.
    private func afterLineBreak(_ index: Int) -> Int? {
        if starts("\r\n", at: index) { return index + 2 }
        if byte(index) == 10 { return index + 1 }
        if starts("\\r\\n", at: index) { return index + 4 }
        if starts("\\n", at: index) { return index + 2 }
        return nil
    }

    private func beforeLineBreak(_ index: Int, from start: Int) -> Int {
        var index = index
        while index > start, bytes[index - 1] == 10 || bytes[index - 1] == 13 || starts("\\n", at: index - 2) {
            index -= starts("\\n", at: index - 2) ? 2 : 1
        }
        return index
    }
}
