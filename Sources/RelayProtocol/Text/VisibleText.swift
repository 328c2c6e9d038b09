/// Makes hostile text safe to look at: characters that are invisible, change direction or control the terminal are spelled out.
///
/// Everything that an agent, a host or another client wrote passes through here before it is printed or pushed. U+202E is shown as
/// `⟨U+202E⟩`.
package enum VisibleText {
    /// Combining marks allowed on one letter: more of them paint over the lines around it.
    static let marksMax = 4

    /// For lists and headings: one line; emoji are kept.
    package static func line(_ text: String) -> String { render(text, isBlock: false, isStrict: false) }

    /// For messages: line breaks, tabs and emoji are kept.
    package static func prose(_ text: String) -> String { render(text, isBlock: true, isStrict: false) }

    /// For texts that a person decides on: all white space except line breaks, tabs and the plain space is spelled out, and so is
    /// everything invisible, even inside emoji.
    package static func exact(_ text: String) -> String { render(text, isBlock: true, isStrict: true) }

    /// Like `exact`, with line breaks spelled out.
    package static func exactLine(_ text: String) -> String { render(text, isBlock: false, isStrict: true) }

    /// Warnings, as sentences, about what may mislead a reader of this text.
    package static func warnings(about text: String) -> [String] {
        var warnings: [String] = []
        var hidden = 0
        var isRightToLeft = false
        for scalar in text.unicodeScalars where scalar.value > 0x7F || scalar.value < 0x20 {
            if isHidden(scalar), scalar != "\n", scalar != "\t" { hidden += 1 }
            if isRightToLeftLetter(scalar) { isRightToLeft = true }
        }
        if hidden > 0 {
            warnings.append("\(hidden) invisible or controlling character\(hidden == 1 ? " is" : "s are") spelled out as ⟨U+…⟩")
        }
        if isRightToLeft { warnings.append("it has right-to-left letters: the terminal may show them in another order") }
        if let word = firstMixedWord(in: text) {
            warnings.append("letters of several alphabets look alike in one word: \(spelled(word))")
        }
        return warnings
    }

    /// True if the text may be misread even with everything hidden spelled out: it has right-to-left letters, or letters that look
    /// like others.
    package static func mayMislead(_ text: String) -> Bool {
        text.unicodeScalars.contains(where: isRightToLeftLetter) || firstMixedWord(in: text) != nil
    }

    // MARK: - Rendering

    private static func render(_ text: String, isBlock: Bool, isStrict: Bool) -> String {
        // A `String`, as appending several scalars at once to a scalar view copies the whole view each time (measured).
        var result = ""
        var previous: Unicode.Scalar?
        var marks = marksMax  // A mark in front would sit on our own text.
        for scalar in text.unicodeScalars {
            defer { previous = scalar }
            if scalar.isASCII, scalar.value >= 0x20, scalar.value != 0x7F {
                result.unicodeScalars.append(scalar)
                marks = 0
                continue
            }
            switch scalar {
            case "\n":
                result.unicodeScalars.append(isBlock ? scalar : "⏎")
                marks = marksMax
                continue
            case "\t":
                result.unicodeScalars.append(isBlock ? scalar : " ")
                marks = marksMax
                continue
            default: break
            }
            if isMark(scalar), !isHidden(scalar) {
                marks += 1
                if marks > marksMax { result += spelling(scalar) } else { result.unicodeScalars.append(scalar) }
            } else if isHidden(scalar), isStrict || !isPartOfEmoji(scalar, after: previous) {
                result += spelling(scalar)
                marks = marksMax
            } else if isStrict, isUnusualSpace(scalar) {
                result += spelling(scalar)
                marks = marksMax
            } else {
                result.unicodeScalars.append(scalar)
                marks = 0
            }
        }
        return result
    }

    package static func spelling(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "⟨U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "⟩"
    }

    // MARK: - Classes of characters

    /// True for controls, direction marks, zero-width and ignorable characters, tags, line separators, and characters without an
    /// agreed appearance.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: return true
        default: break
        }
        return properties.isDefaultIgnorableCodePoint || properties.isBidiControl || properties.isNoncharacterCodePoint
            || scalar.value == 0x2800
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: true
        default: false
        }
    }

    private static func isUnusualSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .spaceSeparator && scalar != " "
    }

    /// True for a joiner or emoji selector directly after an emoji, which are common in messages.
    private static func isPartOfEmoji(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?) -> Bool {
        guard scalar.value == 0xFE0F || scalar.value == 0x200D, let previous else { return false }
        if scalar.value == 0x200D, previous.value == 0xFE0F { return true }
        return previous.value > 0x7F && previous.properties.isEmoji
    }

    private static func isRightToLeftLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }

    // MARK: - Letters that look alike

    /// The first word with both ASCII letters and letters of an alphabet that look like them.
    private static func firstMixedWord(in text: String) -> String? {
        var word = String.UnicodeScalarView()
        var hasASCII = false
        var hasImitation = false
        for scalar in text.unicodeScalars {
            let isASCIILetter = scalar.isASCII && scalar.properties.isAlphabetic
            let isImitation = imitatesLatin(scalar)
            if isASCIILetter || isImitation {
                hasASCII = hasASCII || isASCIILetter
                hasImitation = hasImitation || isImitation
                word.append(scalar)
                continue
            }
            if hasASCII, hasImitation { return String(word) }
            word = String.UnicodeScalarView()
            hasASCII = false
            hasImitation = false
        }
        return hasASCII && hasImitation ? String(word) : nil
    }

    /// True for Greek, Cyrillic, Armenian, Cherokee, mathematical and full-width letters.
    private static func imitatesLatin(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0370...0x03FF, 0x0400...0x052F, 0x0531...0x0587, 0x13A0...0x13FF, 0xAB70...0xABBF, 0x1D400...0x1D7FF,
            0xFF21...0xFF5A:
            scalar.properties.isAlphabetic
        default: false
        }
    }

    private static func spelled(_ word: String) -> String {
        var result = ""
        for scalar in word.unicodeScalars.prefix(40) {
            result += scalar.isASCII ? String(scalar) : spelling(scalar)
        }
        return result
    }
}
