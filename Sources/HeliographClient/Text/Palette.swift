/// Style of a piece of our output.
package enum Style: String, Sendable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
    case alert = "1;33"
}

/// The colours of the output, or none.
package struct Palette: Sendable {
    package let isColoured: Bool

    package init(isColoured: Bool) { self.isColoured = isColoured }

    /// `NO_COLOR` decides first, then `CLICOLOR_FORCE`; otherwise only terminals get colours, and dumb ones do not.
    package init(isTerminal: Bool, environment: Environment) {
        if let off = environment["NO_COLOR"], !off.isEmpty {
            isColoured = false
        } else if let force = environment["CLICOLOR_FORCE"], !force.isEmpty, force != "0" {
            isColoured = true
        } else {
            isColoured = isTerminal && environment["TERM"] != "dumb" && environment["CLICOLOR"] != "0"
        }
    }

    package func paint(_ text: String, _ style: Style?) -> String {
        guard isColoured, let style, !text.isEmpty else { return text }
        return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
    }
}
