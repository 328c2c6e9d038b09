import RelayCore
import RelayProtocol

extension PairCall {
    /// Kind of the token, from the program's own description; a browser's page is recognised by its `Origin`.
    var tokenKind: Token.Kind {
        switch kind {
        case Token.Kind.terminal.rawValue: .terminal
        case Token.Kind.app.rawValue: .app
        default: .program
        }
    }

    var shownName: String { name.flatMap(Self.shown) ?? "a device" }

    /// The name without control characters, which would reach every terminal that shows who decided. Nil if nothing is left.
    static func shown(_ name: String) -> String? {
        let clean = String(
            name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 0x20 && $0.value != 0x7F })
        return clean.allSatisfy(\.isWhitespace) ? nil : clean
    }
}
