/// The kinds of names whose values are secret: `PGPASSWORD`, `api-key`, `clientSecret` are such names; `max_tokens`,
/// `password_file`, `key` are not.
enum SecretName: Equatable {
    /// A password: any value is secret, however short or plain.
    case password
    /// A password of several words.
    case passphrase
    /// A token made by a machine: long, and nearly always with a digit.
    case token
    /// The name `Authorization`: the secret follows the scheme.
    case authorization
    /// The name `Cookie`: several secrets with their own names.
    case cookie

    static let bytesMax = 64

    private static let passwords: Set<String> = [
        "password", "passwd", "passcode", "pwd", "pgpassword", "dbpassword", "sshpass", "userpass", "keypass", "storepass",
    ]
    private static let tokens: Set<String> = [
        "token", "secret", "apikey", "apitoken", "apisecret", "authtoken", "accesstoken", "refreshtoken", "secretkey",
        "accesskey", "privatekey", "clientsecret", "accountkey", "sharedaccesskey", "sharedaccesssignature", "authkey", "jwt",
    ]
    /// Words that make a following `key` a secret; `public`, `primary`, `sort`, `cache` do not.
    private static let keys: Set<String> = [
        "api", "access", "secret", "private", "auth", "account", "signing", "encryption", "master", "service", "deploy",
        "webhook", "admin", "client", "shared", "license",
    ]
    /// Products whose `PAT` is a personal access token; elsewhere it is a pattern.
    private static let forges: Set<String> = [
        "github", "gitlab", "git", "gh", "azure", "ado", "devops", "bitbucket", "access", "personal",
    ]
    /// Words that make a following `token` something to page, parse or count with.
    private static let harmlessTokens: Set<String> = [
        "next", "page", "continuation", "sync", "cancellation", "cancel", "stop", "eos", "bos", "pad", "unk", "mask", "sep",
        "cls", "special", "start", "end", "first", "last", "current", "prompt", "max", "min", "num", "per",
    ]

    /// `isData`: the name is a key that certainly has a value, as in JSON, where `pass` alone means a password too.
    init?(_ name: ArraySlice<UInt8>, isData: Bool = false) {
        guard Self.canMatch(name) else { return nil }
        var rest = name
        let last = Self.popWord(&rest)
        let before = Self.popWord(&rest)
        let isAlone = before.isEmpty
        let isUppercase = !name.contains { $0 >= 97 && $0 <= 122 }
        switch last {
        // Variables with the shell's own working directories.
        case "pwd" where isUppercase && isAlone, "oldpwd": return nil
        case "passphrase": self = .passphrase
        case "pass" where isData || isUppercase || !isAlone: self = .password
        case "authorization": self = .authorization
        case "cookie": self = .cookie
        case "token" where Self.harmlessTokens.contains(before): return nil
        case "key" where Self.keys.contains(before): self = .token
        case "pat" where Self.forges.contains(before): self = .token
        case "base" where before == "key" && Self.popWord(&rest) == "secret": self = .token
        case _ where Self.passwords.contains(last) || last.hasSuffix("password") || last.hasSuffix("passwd"): self = .password
        case _ where Self.tokens.contains(last): self = .token
        default: return nil
        }
    }

    /// A quick test, because every `=` and `:` of a text calls it.
    private static func canMatch(_ name: ArraySlice<UInt8>) -> Bool {
        guard (3...bytesMax).contains(name.count), var last = name.last else { return false }
        if last >= 48 && last <= 57 { last = name.last { $0 < 48 || $0 > 57 } ?? last }
        switch last | 0x20 {
        case UInt8(ascii: "d"), UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "y"), UInt8(ascii: "s"), UInt8(ascii: "e"),
            UInt8(ascii: "_") | 0x20:
            return true
        default: return false
        }
    }

    /// Removes and returns the last word of a name: `X-Api-Key`, `xApiKey`, `X_API_KEY_2` are x, api, key.
    private static func popWord(_ name: inout ArraySlice<UInt8>) -> String {
        while let last = name.last, !SecretScanner.isLetter(last) { name.removeLast() }
        var start = name.endIndex
        while start > name.startIndex, SecretScanner.isAlphanumeric(name[start - 1]) {
            start -= 1
            // `apiKey`: a capital after a small letter begins a word.
            let isCapital = name[start] >= 65 && name[start] <= 90
            if isCapital, start > name.startIndex, name[start - 1] >= 97, name[start - 1] <= 122 { break }
        }
        defer { name = name[..<start] }
        return SecretScanner.lowercased(name[start...])
    }
}
