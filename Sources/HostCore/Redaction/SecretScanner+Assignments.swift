/// Secrets recognised by the name in front of them: `PGPASSWORD=x`, `"api_key": "x"`, `Authorization: Basic x`.
extension SecretScanner {
    /// Confidence that a text is a name and the text after it that name's value.
    enum Certainty {
        /// Names in flags, environment variables and queries: `--token=x`, `TOKEN=x`, `?token=x`.
        case given
        /// Names as in code and connection strings: `token=x`.
        case likely
        /// A space or colon separates name and value, as in prose and type annotations: `token: x`.
        case possible
    }

    mutating func findAssignments() {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":"), let operatorEnd = assignmentEnd(at: index) else {
                index += 1
                continue
            }
            let next = judgeAssignment(at: index, operatorEnd: operatorEnd)
            index = max(next, index + 1)
        }
    }

    /// End of the assignment operator at this index; nil if it is a comparison or a scope operator.
    private func assignmentEnd(at index: Int) -> Int? {
        let (before, after) = (byte(index - 1), byte(index + 1))
        if bytes[index] == UInt8(ascii: ":") {
            if before == UInt8(ascii: ":") || after == UInt8(ascii: ":") || after == UInt8(ascii: "=") { return nil }
            return starts("://", at: index) ? nil : index + 1
        }
        switch before {
        case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "~"): return nil
        default: break
        }
        if after == UInt8(ascii: "=") || after == UInt8(ascii: "~") { return nil }
        return after == UInt8(ascii: ">") ? index + 2 : index + 1
    }

    /// - Returns: the index to continue from.
    private mutating func judgeAssignment(at index: Int, operatorEnd: Int) -> Int {
        var end = index
        // The operators `:=`, `+=` and `?=`.
        if bytes[index] == UInt8(ascii: "="), let before = byte(end - 1),
            before == UInt8(ascii: ":") || before == UInt8(ascii: "+") || before == UInt8(ascii: "?")
        {
            end -= 1
        }
        let operatorStart = end
        while end > 0, operatorStart - end < 16, Self.isBlank(bytes[end - 1]) { end -= 1 }
        var isSpaced = end < operatorStart
        if byte(end - 1) == UInt8(ascii: "]") { end -= 1 }
        var isQuoted = false
        if let quote = byte(end - 1), Self.isQuote(quote) {
            isQuoted = true
            end -= 1
            while byte(end - 1) == UInt8(ascii: "\\") { end -= 1 }
        }
        var start = end
        while start > 0, end - start < SecretName.bytesMax, Self.isNameByte(bytes[start - 1]) { start -= 1 }
        guard let name = SecretName(bytes[start..<end], isData: isQuoted) else {
            hideSignature(named: start..<end, at: operatorEnd)
            return operatorEnd
        }
        // In SQL this is a variable: `PASSWORD :'name'`.
        if bytes[index] == UInt8(ascii: ":"), isSpaced, !isQuoted, byte(operatorEnd).map(Self.isQuote) == true {
            return operatorEnd
        }
        var value = operatorEnd
        value = self.end(from: value, max: 16, while: Self.isBlank)
        isSpaced = isSpaced || value > operatorEnd
        let isUppercase = !bytes[start..<end].contains { $0 >= 97 && $0 <= 122 }
        let isQuery = byte(start - 1) == UInt8(ascii: "?") || byte(start - 1) == UInt8(ascii: "&")
        let isFlag = bytes[start] == UInt8(ascii: "-")
        let certainty: Certainty =
            isSpaced || bytes[index] == UInt8(ascii: ":")
            ? .possible : isUppercase || isQuery || isFlag || isQuoted ? .given : .likely
        switch name {
        case .authorization: return judgeAuthorization(at: value)
        case .cookie: return bytes[index] == UInt8(ascii: ":") ? judgeCookie(at: value) : value
        default: return judgeValue(at: value, name, named: start..<end, certainty, isQuery: isQuery)
        }
    }

    /// Hides the signature in `?sig=V`: a signed address is as good as a token.
    private mutating func hideSignature(named name: Range<Int>, at start: Int) {
        guard name.count <= 20,
            byte(name.lowerBound - 1) == UInt8(ascii: "?") || byte(name.lowerBound - 1) == UInt8(ascii: "&"),
            ["sig", "signature", "x-amz-signature", "x-goog-signature"].contains(Self.lowercased(bytes[name]))
        else { return }
        let end = end(from: start, max: Self.quotedBytesMax) {
            Self.isNameByte($0) || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
                || $0 == UInt8(ascii: "=")
        }
        if end - start >= 20, bytes[start..<end].contains(where: Self.isDigit) { hide(start..<end) }
    }

    // MARK: - Values

    /// Hides the value if it is a secret. Returns the index at which to continue.
    mutating func judgeValue(
        at start: Int, _ name: SecretName, named nameRange: Range<Int>, _ certainty: Certainty, isQuery: Bool = false,
        isTyped: Bool = false
    ) -> Int {
        if let inside = quotedInside(at: start) {
            guard isSecret(inside, quoted: true, name, named: nameRange, certainty) else { return start }
            hideValue(inside)
            return inside.upperBound
        }
        func isValueByte(_ byte: UInt8) -> Bool {
            switch byte {
            case 0...32, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: ";"), UInt8(ascii: "|"),
                UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "&"):
                false
            case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "["): certainty == .given && !isQuery
            case UInt8(ascii: "#"): !isQuery
            default: true
            }
        }
        let sampleEnd = end(from: start, max: Self.sampleBytes, while: isValueByte)
        let sample = start..<sampleEnd
        if !isTyped, let typed = typedValue(after: sample, certainty) {
            return judgeValue(at: typed, name, named: nameRange, certainty, isTyped: true)
        }
        guard isSecret(sample, quoted: false, name, named: nameRange, certainty) else { return start }
        let valueEnd = end(from: sampleEnd, while: isValueByte)
        hideValue(start..<valueEnd)
        return valueEnd
    }

    /// Index of the value in a typed declaration such as `token: String = "x"`.
    private func typedValue(after type: Range<Int>, _ certainty: Certainty) -> Int? {
        guard certainty == .possible, bytes[type].allSatisfy({ Self.isAlphanumeric($0) || $0 == UInt8(ascii: "?") }) else {
            return nil
        }
        let index = end(from: type.upperBound, max: 4, while: Self.isBlank)
        guard byte(index) == UInt8(ascii: "="), byte(index + 1) != UInt8(ascii: "="), !type.isEmpty else { return nil }
        return end(from: index + 1, max: 4, while: Self.isBlank)
    }

    /// The inside of the quotes that open here; the quotes may be escaped, and a letter may precede them as in `f"x"`.
    func quotedInside(at start: Int) -> Range<Int>? {
        var index = start
        if let letter = byte(index), Self.isLetter(letter), byte(index + 1).map(Self.isQuote) == true { index += 1 }
        let isEscaped = byte(index) == UInt8(ascii: "\\")
        index = end(from: index, max: 8) { $0 == UInt8(ascii: "\\") }
        // A back-tick is a quote in some languages and a command in the shell.
        guard let quote = byte(index), Self.isQuote(quote), quote != UInt8(ascii: "`") else { return nil }
        let inside = index + 1
        index = inside
        let limit = min(bytes.count, inside + Self.quotedBytesMax)
        while index < limit {
            if bytes[index] == quote {
                var insideEnd = index
                if isEscaped { while insideEnd > inside, bytes[insideEnd - 1] == UInt8(ascii: "\\") { insideEnd -= 1 } }
                return inside..<insideEnd
            }
            if bytes[index] == 10 { return nil }
            index += !isEscaped && bytes[index] == UInt8(ascii: "\\") && quote != UInt8(ascii: "'") ? 2 : 1
        }
        return nil
    }

    private func isSecret(
        _ range: Range<Int>, quoted: Bool, _ name: SecretName, named nameRange: Range<Int>, _ certainty: Certainty
    ) -> Bool {
        let value = bytes[range]
        guard Self.isWorthHiding(value), !isSameWord(value, bytes[nameRange]), name != .token || !namesSecret(value) else {
            return false
        }
        let sample = value.prefix(Self.sampleBytes)
        let hasDigit = sample.contains(where: Self.isDigit)
        let hasLetter = sample.contains { Self.isLetter($0) || $0 >= 0x80 }
        if quoted {
            if certainty == .given { return true }
            // Values with blanks are usually labels and messages: `password: "Enter your password"`.
            if sample.contains(32) { return name == .passphrase || (certainty == .likely && name == .password) || hasDigit }
            if name != .token { return !mentionsPassword(sample) }
            return hasDigit && sample.count >= 6
        }
        // A call, an element or a generic type is code.
        if byte(range.upperBound) == UInt8(ascii: "(") { return false }
        if !hasLetter { return hasDigit && sample.count >= 4 }
        switch certainty {
        case .given: return true
        case .likely:
            if isExpression(sample, end: range.upperBound) { return false }
            return name != .token || hasDigit && sample.count >= 6
        case .possible:
            if isExpression(sample, end: range.upperBound) || sample.count < 6 { return false }
            let isIdentifier = sample.allSatisfy { Self.isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
            if isIdentifier { return hasDigit && (name != .token ? !mentionsPassword(sample) : sample.count >= 16) }
            return hasDigit || sample.contains { $0 == UInt8(ascii: "!") || $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "#") }
        }
    }

    /// True if the value is the name of a stored secret, not the secret: `--secret=db-password`, `existingSecret: app-secret-v2`.
    private func namesSecret(_ value: ArraySlice<UInt8>) -> Bool {
        guard value.count <= SecretName.bytesMax else { return false }
        let words = value.split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "/") }
        let areWords =
            words.count > 1
            && words.allSatisfy { word in
                word.count <= 3 || word.allSatisfy { $0 >= 97 && $0 <= 122 }
            }
        return areWords
            && words.contains { ["secret", "password", "token", "key", "credentials"].contains(Self.lowercased($0)) }
    }

    /// True if the value is an expression rather than a literal: `args.token`, `config.password`, `pw)`.
    private func isExpression(_ value: ArraySlice<UInt8>, end: Int) -> Bool {
        guard value.allSatisfy({ Self.isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".") }) else {
            return value.contains(UInt8(ascii: "?")) && value.contains(UInt8(ascii: "."))
        }
        let pieces = value.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let areNames = pieces.allSatisfy { piece in
            guard let first = piece.first else { return false }
            return !Self.isDigit(first) && piece.count < 32
        }
        if areNames, pieces.count > 1 { return true }
        let isPlain = !value.contains(where: Self.isDigit)
        switch byte(end) {
        case UInt8(ascii: ","), UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "["), UInt8(ascii: "}"): return isPlain
        default: return false
        }
    }

    private func mentionsPassword(_ value: ArraySlice<UInt8>) -> Bool {
        let text = Self.lowercased(value)
        return ["passw", "pwd", "secret", "kennwort", "contrase", "mot de"].contains { text.contains($0) }
            && !value.contains(where: Self.isDigit)
    }

    /// True if the value repeats the name: `token=token`, `authToken: AUTH_TOKEN`.
    private func isSameWord(_ value: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
        guard value.count <= SecretName.bytesMax else { return false }
        var rest = name
        for byte in value where Self.isAlphanumeric(byte) {
            while let other = rest.first, !Self.isAlphanumeric(other) { rest.removeFirst() }
            guard let other = rest.popFirst(), other == byte || other | 0x20 == byte | 0x20 && Self.isLetter(byte) else {
                return false
            }
        }
        return !rest.contains(where: Self.isAlphanumeric)
    }

    // MARK: - Headers

    private static let schemes: Set<String> = ["bearer", "basic", "token", "digest", "apikey", "bot", "negotiate"]

    private mutating func judgeAuthorization(at start: Int) -> Int {
        var value = start
        if let quote = byte(value), Self.isQuote(quote) { value += 1 }
        let wordEnd = end(from: value, max: 16, while: Self.isLetter)
        let hasScheme = Self.schemes.contains(Self.lowercased(bytes[value..<wordEnd])) && byte(wordEnd) == 32
        if hasScheme { value = end(from: wordEnd, max: 16, while: Self.isBlank) }
        let valueEnd = end(from: value) { !Self.isOperator($0) || $0 == UInt8(ascii: "$") }
        let sample = bytes[value..<valueEnd].prefix(Self.sampleBytes)
        let isSecret = sample.count >= 6 && (hasScheme || sample.contains(where: Self.isDigit))
        // A name followed by a call is code.
        guard isSecret, byte(valueEnd) != UInt8(ascii: "("), Self.isWorthHiding(bytes[value..<valueEnd]) else { return value }
        hideValue(value..<valueEnd)
        return valueEnd
    }

    private mutating func judgeCookie(at start: Int) -> Int {
        func isCookieByte(_ byte: UInt8) -> Bool { byte != 10 && byte != 13 && !Self.isQuote(byte) }
        let sampleEnd = end(from: start, max: SecretName.bytesMax, while: Self.isNameByte)
        guard sampleEnd > start, byte(sampleEnd) == UInt8(ascii: "="), let first = byte(sampleEnd + 1),
            isCookieByte(first), first != 32, first != UInt8(ascii: "="), first != UInt8(ascii: "$")
        else { return start }
        let valueEnd = end(from: sampleEnd, max: Self.quotedBytesMax, while: isCookieByte)
        hideValue(start..<valueEnd)
        return valueEnd
    }

    // MARK: - Bytes

    static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`")
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
}
