/// Scripts of `sed` that only change and print lines: they run no command, and use no file.
enum SedScript {
    /// The arguments of `sed`, one or several of which are scripts.
    static func isPlain(_ arguments: ArraySlice<ShellWord>) -> Bool {
        var scripts: [ShellWord] = []
        var operands: [ShellWord] = []
        var rest = arguments
        while let word = rest.popFirst() {
            if word.text == "-e" || word.text == "--expression" {
                guard let script = rest.popFirst() else { return false }
                scripts.append(script)
            } else if word.text.hasPrefix("--expression=") {
                scripts.append(ShellWord(String(word.text.dropFirst("--expression=".count))))
            } else if word.text.hasPrefix("-i") || word.text == "--quiet" || word.text == "--regexp-extended" {
                continue
            } else if word.isKnown, word.text.hasPrefix("-"), word.text.count > 1 {
                guard word.text.dropFirst().allSatisfy({ "nErsuz".contains($0) }) else { return false }
            } else {
                operands.append(word)
            }
        }
        if scripts.isEmpty { scripts = Array(operands.prefix(1)) }
        return scripts.allSatisfy { $0.isKnown && isPlain($0.text) }
    }

    private static func isPlain(_ script: String) -> Bool {
        var bytes = Array(script.utf8)[...]
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "s"), UInt8(ascii: "y"):
                guard let mark = bytes.popFirst(), skip(to: mark, in: &bytes), skip(to: mark, in: &bytes) else { return false }
                bytes = bytes.drop { "gpiImM0123456789".utf8.contains($0) }
                guard bytes.first.map({ "; \n}".utf8.contains($0) }) ?? true else { return false }
            case UInt8(ascii: "/"): guard skip(to: byte, in: &bytes) else { return false }
            default: guard "0123456789,$!+~;{} \n\tpdqnNgGhHxDPI=".utf8.contains(byte) else { return false }
            }
        }
        return true
    }

    /// Drops the bytes up to and with the next mark that has no backslash before it. Returns false if there is none.
    private static func skip(to mark: UInt8, in bytes: inout ArraySlice<UInt8>) -> Bool {
        while let byte = bytes.popFirst() {
            if byte == mark { return true }
            if byte == UInt8(ascii: "\\"), bytes.popFirst() == nil { return false }
        }
        return false
    }
}
