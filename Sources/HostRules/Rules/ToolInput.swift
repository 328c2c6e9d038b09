internal import RelayProtocol

/// The texts of a tool's input and the names of its members, at any depth. For rules that deny or ask.
struct ToolInput {
    /// Values that are read; an input with more is put before a person.
    private static let valuesMax = 4_096

    private(set) var texts: [String] = []
    private var words: Set<String> = []
    /// True if not all of it was read.
    private(set) var isUnclear = false

    init(_ input: JSONValue) {
        var open = [input]
        var count = 0
        while let value = open.popLast() {
            count += 1
            guard count <= Self.valuesMax else {
                isUnclear = true
                return
            }
            if let members = try? value.members() {
                open += members.map(\.value)
                for (name, _) in members {
                    let all = Self.words(of: name)
                    // `bash_id` names a shell, and gives it nothing.
                    if all.last != "id" { words.formUnion(all) }
                    if name.contains("/") { texts.append(name) }
                }
            } else if let entries = try? value.array() {
                open += entries
            } else if let text = try? value.string() {
                texts.append(text)
                if let decoded = Self.decoded(text) { texts.append(decoded) }
            }
        }
    }

    /// The text as an address that writes bytes like `%2F` would have it; nil if there are none.
    private static func decoded(_ text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return nil }
        var decoded: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let code = rest.prefix(2)
            if byte == UInt8(ascii: "%"), code.count == 2, code.allSatisfy(\.isLetterOrDigit),
                let value = UInt8(String(decoding: code, as: UTF8.self), radix: 16)
            {
                decoded.append(value)
                rest.removeFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    private static let runnable: Set<String> = [
        "command", "commands", "cmd", "cmds", "code", "script", "scripts", "shell", "bash", "sh", "terminal", "argv", "eval",
        "evaluate", "exec", "execute", "expression", "function", "process", "program", "run", "stdin", "chars",
    ]

    /// True if the input may have code or a command: the name of one of its members, or of the tool, says so. Claude Code's own
    /// tools, whose names begin with a capital, are known by their members alone.
    func mayRun(as tool: String) -> Bool {
        let isForeign = tool.first?.isLowercase == true
        return isUnclear || !words.union(isForeign ? Self.words(of: tool) : []).isDisjoint(with: Self.runnable)
    }

    func names(_ host: String) -> Bool { isUnclear || texts.contains { RuleAddress.names(host, in: $0) } }

    /// The words of a name like `shellCommand` or `shell_command`, in lower case.
    private static func words(of name: String) -> [String] {
        var words = [""]
        for character in name {
            let isLetter = character.isLetter || character.isNumber
            if character.isUppercase || !isLetter, words[words.count - 1] != "" { words.append("") }
            if isLetter { words[words.count - 1] += character.lowercased() }
        }
        return words
    }
}
