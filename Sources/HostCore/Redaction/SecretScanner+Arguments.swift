/// Secrets that follow a flag of a command: `--password x`, `curl -u user:x`, `mysql -px`.
extension SecretScanner {
    /// Meaning of the short flags of commands that take secrets.
    private enum Tool {
        /// A user and a password: `-u user:password`.
        case curl, httpie
        /// A password, separate or attached: `-p password`.
        case sshpass
        /// An attached password: `-ppassword`.
        case mysql
        /// A password after `login`: `-p password`.
        case registry
        case redis, ldap, mongo, zip
        /// A password with a prefix: `pass:password`.
        case openssl
    }

    private static let tools: [String: Tool] = [
        "curl": .curl, "http": .httpie, "https": .httpie, "sshpass": .sshpass, "mysql": .mysql, "mysqldump": .mysql,
        "mysqladmin": .mysql, "mariadb": .mysql, "mariadb-dump": .mysql, "docker": .registry, "podman": .registry,
        "nerdctl": .registry, "buildah": .registry, "helm": .registry, "skopeo": .registry, "oc": .registry, "az": .registry,
        "redis-cli": .redis, "ldapsearch": .ldap, "ldapmodify": .ldap, "ldapadd": .ldap, "ldapwhoami": .ldap,
        "mongo": .mongo, "mongosh": .mongo, "mongodump": .mongo, "zip": .zip, "openssl": .openssl,
    ]
    private static let toolBytesMax = 12
    /// Tests of `find` whose argument is a file name, not a command: `find / -name mysql -print`.
    private static let fileTests: Set<String> = ["-name", "-iname", "-path", "-ipath"]

    mutating func findArguments() {
        var tool: Tool?
        var isLogin = false
        var isFileName = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if !Self.isWordByte(byte) {
                // Here another command begins.
                if byte == UInt8(ascii: ";") || byte == UInt8(ascii: "|") || byte == UInt8(ascii: "&") || byte == 10 {
                    (tool, isLogin, isFileName) = (nil, false, false)
                }
                index += 1
                continue
            }
            let wordEnd = end(from: index, while: Self.isWordByte)
            if byte == UInt8(ascii: "-") {
                isFileName =
                    wordEnd - index <= 6 && Self.fileTests.contains(String(decoding: bytes[index..<wordEnd], as: UTF8.self))
                index = max(wordEnd, judgeFlag(index..<wordEnd, tool, isLogin: isLogin))
                continue
            }
            let word = bytes[index..<wordEnd]
            if case .openssl? = tool, starts("pass:", at: index), Self.isWorthHiding(word.dropFirst(5)) {
                hideValue(index + 5..<wordEnd)
            }
            let command = word[(word.suffix(Self.toolBytesMax + 1).lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? index)...]
            if command.count <= Self.toolBytesMax, !isFileName {
                let name = String(decoding: command, as: UTF8.self)
                if let known = Self.tools[name] { tool = known } else if name == "login" { isLogin = true }
            }
            isFileName = false
            index = wordEnd
        }
    }

    /// - Returns: the index to continue from.
    private mutating func judgeFlag(_ flag: Range<Int>, _ tool: Tool?, isLogin: Bool) -> Int {
        let isLong = byte(flag.lowerBound + 1) == UInt8(ascii: "-")
        let value = end(from: flag.upperBound, max: 16, while: Self.isBlank)
        let isFollowed = value > flag.upperBound && byte(value) != nil && byte(value) != UInt8(ascii: "-")
        let nameStart = flag.lowerBound + (isLong ? 2 : 1)
        let name = nameStart..<max(nameStart, flag.upperBound)
        if name.count > 2, !bytes[name].contains(UInt8(ascii: "=")), let secret = SecretName(bytes[name], isData: true) {
            guard isFollowed, secret != .cookie, !isProse(at: value) else { return flag.upperBound }
            return judgeValue(at: value, secret, named: name, .given)
        }
        guard let tool else { return flag.upperBound }
        let text = String(decoding: bytes[flag].prefix(16), as: UTF8.self)
        switch tool {
        case .curl:
            if ["-u", "--user", "-U", "--proxy-user"].contains(text), isFollowed { return hideAfterColon(at: value) }
            if text.hasPrefix("-u") && !isLong { return hideAfterColon(at: flag.lowerBound + 2) }
            if text.hasPrefix("--user=") { return hideAfterColon(at: flag.lowerBound + 7) }
        case .httpie: if text == "-a" || text == "--auth", isFollowed { return hideAfterColon(at: value) }
        case .sshpass, .mysql:
            if text == "-p", case .sshpass = tool, isFollowed { return judgeValue(at: value, .password, named: name, .given) }
            if text.hasPrefix("-p"), !isLong, flag.count > 2 || byte(flag.upperBound).map(Self.isQuote) == true {
                return judgeValue(at: flag.lowerBound + 2, .password, named: nameStart..<nameStart, .given)
            }
        case .registry: if isLogin, text == "-p", isFollowed { return judgeValue(at: value, .password, named: name, .given) }
        case .mongo: if text == "-p", isFollowed { return judgeValue(at: value, .password, named: name, .given) }
        case .redis: if text == "-a", isFollowed { return judgeValue(at: value, .password, named: name, .given) }
        case .ldap: if text == "-w", isFollowed { return judgeValue(at: value, .password, named: name, .given) }
        case .zip: if text == "-P", isFollowed { return judgeValue(at: value, .password, named: name, .given) }
        case .openssl: break
        }
        return flag.upperBound
    }

    /// Hides the password in `user:password`, quoted or not.
    private mutating func hideAfterColon(at start: Int) -> Int {
        let range = quotedInside(at: start) ?? start..<end(from: start) { !Self.isOperator($0) || $0 == UInt8(ascii: "$") }
        guard let colon = bytes[range].firstIndex(of: UInt8(ascii: ":")),
            Self.isWorthHiding(bytes[(colon + 1)..<range.upperBound])
        else { return start }
        hideValue(colon + 1..<range.upperBound)
        return range.upperBound
    }

    private static let prose: Set<String> = [
        "option", "options", "flag", "flags", "argument", "arguments", "with", "when", "from", "must", "will", "using",
        "instead",
    ]

    /// True for prose about a flag: `--password or --token`, `the --password option`.
    private func isProse(at start: Int) -> Bool {
        let wordEnd = end(from: start, max: 10) { $0 >= 97 && $0 <= 122 }
        guard byte(wordEnd).map(Self.isBlank) ?? true else { return false }
        return wordEnd - start <= 3 || Self.prose.contains(String(decoding: bytes[start..<wordEnd], as: UTF8.self))
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        !isOperator(byte) || byte == UInt8(ascii: "$") || byte == UInt8(ascii: "\\")
    }
}
