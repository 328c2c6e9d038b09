/// Secrets at a known place of a command: `htpasswd -b file user V`, `echo V | docker login --password-stdin`, `aws configure set
/// aws_secret_access_key V`.
extension SecretScanner {
    /// A word without the quotes around it.
    private typealias Word = Range<Int>

    private enum Position {
        /// The n-th word after the command's own words, flags not counted.
        case argument(Int)
        case last
        /// The word after this flag, or attached to it if the flag has one letter.
        case flag(String)
        /// The word after one that announces a secret: `config set x.token V`.
        case named
    }

    private struct Rule {
        let words: [String]
        let position: Position

        init(_ command: String, _ position: Position) {
            words = command.split(separator: " ").map(String.init)
            self.position = position
        }
    }

    /// The rules for each program, by the first word of the command.
    private static let rules: [String: [Rule]] = Dictionary(
        grouping: [
            Rule("aws configure set", .named), Rule("npm config set", .named), Rule("npm set", .named),
            Rule("pnpm config set", .named),
            Rule("yarn config set", .named), Rule("git config", .named), Rule("nmcli", .named), Rule("poetry config", .named),
            Rule("composer config", .last), Rule("pip config set", .named), Rule("gcloud config set", .named),
            Rule("pulumi config set", .named), Rule("dotnet user-secrets set", .argument(2)), Rule("bundle config set", .named),
            Rule("rclone obscure", .argument(1)), Rule("snap set", .named), Rule("wpa_passphrase", .argument(2)),
            Rule("gh secret set", .flag("-b")), Rule("gh secret set", .flag("--body")), Rule("vault login", .argument(1)),
            Rule("cargo login", .argument(1)), Rule("snyk auth", .argument(1)), Rule("ngrok authtoken", .argument(1)),
            Rule("ngrok config add-authtoken", .argument(1)), Rule("doctl auth init", .flag("-t")),
            Rule("ansible-vault", .named),
            Rule("cloudflared service install", .argument(1)), Rule("rabbitmqctl add_user", .argument(2)),
            Rule("rabbitmqctl change_password", .argument(2)), Rule("rabbitmqctl authenticate_user", .argument(2)),
            Rule("mc alias set", .argument(4)), Rule("redis-cli AUTH", .last), Rule("redis-cli auth", .last),
            Rule("openssl passwd", .last), Rule("openssl enc", .flag("-k")), Rule("openssl enc", .flag("-K")),
            Rule("smbclient", .flag("-U")), Rule("sqlcmd", .flag("-P")), Rule("bcp", .flag("-P")),
            Rule("mosquitto_pub", .flag("-P")),
            Rule("mosquitto_sub", .flag("-P")), Rule("cqlsh", .flag("-p")), Rule("cypher-shell", .flag("-p")),
            Rule("useradd", .flag("-p")), Rule("usermod", .flag("-p")), Rule("twine upload", .flag("-p")),
            Rule("dotnet nuget push", .flag("-k")), Rule("nuget push", .flag("-k")), Rule("unzip", .flag("-P")),
            Rule("ldappasswd", .flag("-s")), Rule("ldappasswd", .flag("-w")),
            Rule("security add-generic-password", .flag("-w")),
            Rule("security add-internet-password", .flag("-w")), Rule("security unlock-keychain", .flag("-p")),
            Rule("mongodump", .flag("-p")), Rule("mongorestore", .flag("-p")), Rule("rdesktop", .flag("-p")),
            Rule("expo login", .flag("-p")), Rule("svn", .flag("--password")), Rule("kadmin", .flag("-w")),
            Rule("ipmitool", .flag("-P")), Rule("influx", .flag("-p")), Rule("7z", .flag("-p")), Rule("rar", .flag("-p")),
            Rule("rar", .flag("-hp")), Rule("mysqladmin password", .last), Rule("net user", .argument(2)),
            Rule("xfreerdp", .flag("/p:")),
            Rule("lftp", .flag("-u")), Rule("rclone config create", .named), Rule("oc login", .flag("--token")),
            Rule("argocd account update-password", .named), Rule("pscp", .flag("-pw")), Rule("plink", .flag("-pw")),
        ], by: \.words[0])

    /// Commands that read a secret from their input.
    private static let readers: [[String]] = [
        ["docker", "login"], ["podman", "login"], ["nerdctl", "login"], ["buildah", "login"], ["skopeo", "login"],
        ["oras", "login"],
        ["helm", "login"], ["crane", "login"], ["az", "login"], ["chpasswd"], ["passwd", "--stdin"], ["sudo", "-S"],
        ["gh", "--with-token"], ["gh", "secret", "set"], ["glab", "--stdin"], ["wrangler", "secret", "put"],
        ["vercel", "env", "add"],
        ["vault", "login"], ["kinit"], ["cryptsetup"], ["gpg", "--passphrase-fd"], ["npm", "secret"], ["gcloud", "secrets"],
        ["docker", "secret", "create"], ["podman", "secret", "create"], ["fly", "secrets"], ["flyctl", "secrets"],
        ["htpasswd", "-i"],
        ["firebase", "functions:secrets:set"], ["op", "signin"], ["bw", "unlock"], ["ssh-add"], ["tailscale", "up"],
        ["cargo", "login"],
    ]

    private static let placeholders: Set<String> = [
        "password", "passwd", "secret", "token", "value", "key", "user", "username", "file", "-",
    ]
    private static let wordsMax = 32
    /// Programs that may precede a command: `sudo`, `env A=b` and the like.
    private static let wrappers: Set<String> = ["sudo", "env", "nohup", "time", "npx", "pnpx", "command", "exec", "doas"]

    mutating func findCommands() {
        var index = 0
        var words: [Word] = []
        var before: [Word] = []
        while index <= bytes.count {
            guard let byte = byte(index), !Self.endsCommand(byte) else {
                judge(words, before: before)
                // Only a pipe makes the output another command's input.
                let isPipe = byte(index) == UInt8(ascii: "|") && byte(index + 1) != UInt8(ascii: "|")
                before = isPipe ? words : []
                words = []
                index += 1
                continue
            }
            if Self.isOperator(byte), !Self.isQuote(byte), byte != UInt8(ascii: "$"), byte != UInt8(ascii: "\\"),
                byte != UInt8(ascii: "{")
            {
                index += 1
                continue
            }
            let word = wordRange(at: index)
            if words.count < Self.wordsMax { words.append(word.inside) }
            index = max(word.end, index + 1)
        }
    }

    private static func endsCommand(_ byte: UInt8) -> Bool {
        switch byte {
        case 10, UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "&"), UInt8(ascii: "("), UInt8(ascii: ")"),
            UInt8(ascii: "`"):
            true
        default: false
        }
    }

    private func wordRange(at start: Int) -> (inside: Word, end: Int) {
        if let inside = quotedInside(at: start), Self.isQuote(bytes[start]) { return (inside, inside.upperBound + 1) }
        let end = end(from: start, max: Self.quotedBytesMax) { !Self.isOperator($0) || "$\\{}".utf8.contains($0) }
        return (start..<end, max(end, start + 1))
    }

    // MARK: - A command

    private mutating func judge(_ words: [Word], before: [Word]) {
        guard !words.isEmpty else { return }
        let command = withoutWrapper(words)
        if let first = command.first {
            for rule in Self.rules[name(first)] ?? [] where matches(command, rule.words) { judge(command, rule) }
            if name(first) == "htpasswd", command.count > 2,
                command.contains(where: { bytes[$0].first == UInt8(ascii: "-") && bytes[$0].contains(UInt8(ascii: "b")) })
            {
                hideWord(command[command.count - 1])
            }
        }
        judgeInput(words, before: before)
    }

    private func withoutWrapper(_ words: [Word]) -> ArraySlice<Word> {
        var rest = words[...]
        while rest.count > 1, let first = rest.first {
            let isAssignment = bytes[first].contains(UInt8(ascii: "=")) && bytes[first].first.map(Self.isLetter) == true
            guard isAssignment || Self.wrappers.contains(name(first)) || bytes[first].first == UInt8(ascii: "-") else { break }
            rest.removeFirst()
        }
        return ArraySlice(Array(rest))
    }

    /// The program's name without its folder.
    private func name(_ word: Word) -> String {
        guard word.count <= SecretName.bytesMax else { return "" }
        let start = bytes[word].lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? word.lowerBound
        return String(decoding: bytes[start..<word.upperBound], as: UTF8.self)
    }

    /// True if these words come in this order, with flags between them.
    private func matches(_ words: ArraySlice<Word>, _ wanted: [String]) -> Bool {
        var rest = wanted[...]
        for word in words {
            guard let next = rest.first else { return true }
            if name(word) == next || bytes[word].elementsEqual(next.utf8) { rest.removeFirst() }
        }
        return rest.isEmpty
    }

    private mutating func judge(_ words: ArraySlice<Word>, _ rule: Rule) {
        switch rule.position {
        case .last: if words.count > rule.words.count { hideWord(words[words.count - 1]) }
        case .argument(let number):
            let arguments = words.filter { bytes[$0].first != UInt8(ascii: "-") }
            let place = rule.words.count + number - 1
            if arguments.indices.contains(place) { hideWord(arguments[place]) }
        case .named:
            for (word, value) in zip(words.dropFirst(), words.dropFirst(2)) where bytes[value].first != UInt8(ascii: "-") {
                let name = bytes[word].suffix(SecretName.bytesMax)
                // Names such as `pypi-token.pypi`.
                let stem = name[..<(name.lastIndex(of: UInt8(ascii: ".")) ?? name.startIndex)]
                let isKey = name.hasSuffix(".psk") || name.hasSuffix("wep-key0") || SecretName(stem, isData: true) != nil
                guard isKey || SecretName(name, isData: true) != nil else { continue }
                hideWord(value)
            }
        case .flag(let flag):
            for (position, word) in words.enumerated() where bytes[word].starts(with: flag.utf8) {
                if word.count == flag.utf8.count {
                    if position + 1 < words.count { hideWord(words[position + 1], after: flag) }
                } else if bytes[word].dropFirst(flag.utf8.count).first == UInt8(ascii: "=") {
                    hideWord(word.dropFirst(flag.utf8.count + 1))
                } else if flag.utf8.count == 2 || flag.hasSuffix(":") {
                    hideWord(word.dropFirst(flag.utf8.count))
                }
            }
        }
    }

    /// Hides a word, or the secret part of it: `user%V` after `-U`, `user,V` after `-u`. Flags and placeholders are left.
    private mutating func hideWord(_ word: Word, after flag: String = "") {
        var value = word
        if flag == "-U" || flag == "-u" {
            guard let sign = bytes[word].firstIndex(of: flag == "-U" ? UInt8(ascii: "%") : UInt8(ascii: ",")) else { return }
            value = sign + 1..<word.upperBound
        }
        // `<token>` is a placeholder for people to fill in.
        if byte(value.lowerBound - 1) == UInt8(ascii: "<"), byte(value.upperBound) == UInt8(ascii: ">") { return }
        guard !value.isEmpty, bytes[value].first != UInt8(ascii: "-"), Self.isWorthHiding(bytes[value]),
            !Self.placeholders.contains(Self.lowercased(bytes[value].prefix(SecretName.bytesMax)))
        else { return }
        hideValue(value)
    }

    // MARK: - What is piped

    private mutating func judgeInput(_ words: [Word], before: [Word]) {
        let reader = Self.readers.first { wanted in
            words.contains { name($0) == wanted[0] }
                && wanted.dropFirst().allSatisfy { word in words.contains { name($0) == word } }
        }
        guard let reader else { return }
        if let first = before.first, ["echo", "printf", "print"].contains(name(first)) {
            for word in before.dropFirst() where bytes[word].first != UInt8(ascii: "-") { hideInput(word, of: reader[0]) }
        }
        for (index, word) in words.enumerated() where index > 0 && isHereString(before: word) { hideInput(word, of: reader[0]) }
    }

    private func isHereString(before word: Word) -> Bool {
        var index = word.lowerBound
        while index > 0, Self.isQuote(bytes[index - 1]) || Self.isBlank(bytes[index - 1]) { index -= 1 }
        return starts("<<<", at: index - 3)
    }

    /// Hides the input of a command that reads a secret. `chpasswd` reads `user:V`.
    private mutating func hideInput(_ word: Word, of reader: String) {
        var value = word
        if reader == "chpasswd" {
            guard let colon = bytes[word].firstIndex(of: UInt8(ascii: ":")) else { return }
            value = colon + 1..<word.upperBound
        }
        // The value is the format of `printf`.
        if bytes[value].first == UInt8(ascii: "%"), value.count <= 4 { return }
        hideWord(value)
    }
}

extension Range<Int> {
    fileprivate func dropFirst(_ count: Int) -> Range<Int> { Swift.min(lowerBound + count, upperBound)..<upperBound }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
