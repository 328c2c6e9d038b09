/// Turns wire bytes into one line that is safe to print: the same JSON, spelled differently.
///
/// White space between tokens is dropped, as a host may have put line breaks there. Invisible characters and those that control a
/// terminal become `\uXXXX`, which is valid as they occur in strings only.
package enum JSONLine {
    package static func text(_ json: some Sequence<UInt8>) -> String {
        var result = ""
        var isInString = false
        var isEscape = false
        for scalar in String(decoding: Array(json), as: UTF8.self).unicodeScalars {
            if isInString {
                if isEscape {
                    isEscape = false
                } else if scalar == "\\" {
                    isEscape = true
                } else if scalar == "\"" {
                    isInString = false
                }
                if scalar.value >= 0x7F, VisibleText.isHidden(scalar) {
                    for unit in UTF16.encode(scalar)! {
                        let digits = String(unit, radix: 16)
                        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                    }
                } else {
                    result.unicodeScalars.append(scalar)
                }
            } else {
                switch scalar {
                case " ", "\n", "\r", "\t": break
                case "\"":
                    isInString = true
                    result.unicodeScalars.append(scalar)
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }
}
