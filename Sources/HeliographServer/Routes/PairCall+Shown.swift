import RelayCore
import RelayProtocol

extension PairCall {
    /// A program's own description is shown; a browser's page is recognised by its `Origin`.
    var tokenKind: Token.Kind {
        switch kind {
        case Token.Kind.terminal.rawValue: .terminal
        case Token.Kind.app.rawValue: .app
        default: .program
        }
    }

    var shownName: String { name.flatMap(Self.shown) ?? "a device" }

    /// Control characters in a name would reach every terminal that shows who decided. Nil: nothing of it shows.
    static func shown(_ name: String) -> String? {
        let clean = String(
            name.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 0x20 && $0.value != 0x7F })
        return clean.allSatisfy(\.isWhitespace) ? nil : clean
    }
}
