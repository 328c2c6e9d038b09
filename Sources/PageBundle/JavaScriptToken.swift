/// A token of JavaScript, as far as it must be understood to find `import` and `export`.
struct JavaScriptToken: Equatable {
    enum Kind {
        /// A name, a keyword or a number.
        case word
        /// A string, a template with everything in it, or a regular expression: kept unchanged.
        case literal
        /// One character of any other kind.
        case sign
        /// Blanks and comments.
        case gap
    }

    var kind: Kind
    var text: String

    func `is`(_ text: String) -> Bool { self.text == text && kind != .literal }
}

/// Splits JavaScript into tokens.
///
/// Whether a slash begins a regular expression depends on the token before it. The one case that would need a parser, a regular
/// expression directly after the `)` of a condition or a `}`, is read as a division; a quote in it then ends the build with an
/// unterminated string.
struct JavaScriptReader {
    private let file: String
    private let bytes: [UInt8]
    private var position = 0
    private var tokens: [JavaScriptToken] = []

    static func tokens(of source: String, file: String) throws(PageBundleError) -> [JavaScriptToken] {
        var reader = JavaScriptReader(file: file, bytes: Array(source.utf8))
        try reader.readAll()
        return reader.tokens
    }

    private init(file: String, bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
    }

    private mutating func readAll() throws(PageBundleError) {
        while position < bytes.count { tokens.append(try next()) }
    }

    private mutating func next() throws(PageBundleError) -> JavaScriptToken {
        let start = position
        let byte = bytes[position]
        switch byte {
        case _ where isGap(at: position):
            try gap()
            return JavaScriptToken(kind: .gap, text: text(from: start))
        case UInt8(ascii: "\""), UInt8(ascii: "'"): try string(byte)
        case UInt8(ascii: "`"): try template()
        case UInt8(ascii: "/") where beginsExpression: try expression()
        case _ where Self.isWord(byte):
            position = bytes[position...].firstIndex { !Self.isWord($0) } ?? bytes.count
            return JavaScriptToken(kind: .word, text: text(from: start))
        default:
            position += 1
            return JavaScriptToken(kind: .sign, text: text(from: start))
        }
        return JavaScriptToken(kind: .literal, text: text(from: start))
    }

    private func text(from start: Int) -> String { String(decoding: bytes[start..<position], as: UTF8.self) }

    /// True for letters, digits, `$`, `_`, and everything that is not ASCII.
    static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "$"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    // MARK: - Blanks and comments

    private func isGap(at index: Int) -> Bool {
        switch bytes[index] {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): true
        case UInt8(ascii: "/"):
            index + 1 < bytes.count && (bytes[index + 1] == UInt8(ascii: "/") || bytes[index + 1] == UInt8(ascii: "*"))
        default: false
        }
    }

    private mutating func gap() throws(PageBundleError) {
        while position < bytes.count, isGap(at: position) {
            guard bytes[position] == UInt8(ascii: "/") else {
                position += 1
                continue
            }
            let isBlock = bytes[position + 1] == UInt8(ascii: "*")
            position += 2
            if isBlock {
                while position + 1 < bytes.count,
                    !(bytes[position] == UInt8(ascii: "*") && bytes[position + 1] == UInt8(ascii: "/"))
                {
                    position += 1
                }
                guard position + 1 < bytes.count else { throw fails("a comment does not end") }
                position += 2
            } else {
                position = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            }
        }
    }

    // MARK: - Literals

    private mutating func string(_ quote: UInt8) throws(PageBundleError) {
        position += 1
        while position < bytes.count, bytes[position] != quote, bytes[position] != UInt8(ascii: "\n") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard position < bytes.count, bytes[position] == quote else { throw fails("a string does not end on its line") }
        position += 1
    }

    private mutating func template() throws(PageBundleError) {
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "`") {
            if bytes[position] == UInt8(ascii: "$"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "{") {
                position += 2
                try skipInserted()
            } else {
                position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
            }
        }
        guard position < bytes.count else { throw fails("a template does not end") }
        position += 1
    }

    /// Skips past the `}` that ends an expression in a template; the skipped text stays part of the template.
    private mutating func skipInserted() throws(PageBundleError) {
        let outside = tokens
        tokens = [JavaScriptToken(kind: .sign, text: "{")]
        var depth = 1
        while position < bytes.count {
            let token = try next()
            tokens.append(token)
            if token.is("{") { depth += 1 }
            if token.is("}") { depth -= 1 }
            if depth == 0 {
                tokens = outside
                return
            }
        }
        throw fails("what is inserted into a template does not end")
    }

    /// Words after which an expression follows, not an operator.
    private static let leading: Set<String> = [
        "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do", "instanceof", "yield", "await",
    ]

    private var beginsExpression: Bool {
        guard let before = tokens.last(where: { $0.kind != .gap }) else { return true }
        switch before.kind {
        case .word: return Self.leading.contains(before.text)
        case .literal: return false
        default: return ![")", "]", "}"].contains(before.text)
        }
    }

    private mutating func expression() throws(PageBundleError) {
        var isInClass = false
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") {
            switch bytes[position] {
            case UInt8(ascii: "\\"): position += 1
            case UInt8(ascii: "["): isInClass = true
            case UInt8(ascii: "]"): isInClass = false
            case UInt8(ascii: "/") where !isInClass:
                position += 1
                return
            default: break
            }
            position += 1
        }
        throw fails("a regular expression does not end on its line")
    }

    private func fails(_ sentence: String) -> PageBundleError {
        let line = bytes[..<min(position, bytes.count)].count { $0 == UInt8(ascii: "\n") } + 1
        return PageBundleError(file: file, sentence: "\(sentence) (line \(line))")
    }
}
