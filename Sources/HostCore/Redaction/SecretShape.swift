/// A kind of secret recognised by its shape: its prefix, and the alphabet that follows.
struct SecretShape: Sendable {
    enum Alphabet: Sendable {
        case hexadecimal
        case alphanumeric
        /// Letters, digits and `_`.
        case word
        /// Letters, digits and `_ -`.
        case url
        /// Letters, digits and `_ - .`.
        case dotted
        /// Letters, digits and `_ - . : / + = ~`, which also occur in addresses and paths.
        case any

        func contains(_ byte: UInt8) -> Bool {
            switch self {
            case .hexadecimal: return SecretScanner.isDigit(byte) || (97...102).contains(byte | 0x20)
            case _ where SecretScanner.isAlphanumeric(byte): return true
            case .alphanumeric: return false
            default: break
            }
            switch byte {
            case UInt8(ascii: "_"): return true
            case UInt8(ascii: "-"): return self != .word
            case UInt8(ascii: "."): return self == .dotted || self == .any
            case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "+"), UInt8(ascii: "="), UInt8(ascii: "~"):
                return self == .any
            default: return false
            }
        }
    }

    /// Longer than any known secret.
    static let lengthMax = 255

    let prefix: StaticString
    let alphabet: Alphabet
    /// Shortest length after the prefix; shorter text is an example or a word.
    let lengthMin: Int

    init(_ prefix: StaticString, _ alphabet: Alphabet, _ lengthMin: Int) {
        self.prefix = prefix
        self.alphabet = alphabet
        self.lengthMin = lengthMin
    }

    /// True if all of `value` is a secret of a shape that cannot be anything else: no known token can be read as an address, a path
    /// or an option.
    static func isWhole(_ value: ArraySlice<UInt8>) -> Bool {
        if isWebToken(value) { return true }
        guard value.allSatisfy(Alphabet.url.contains) else { return false }
        return byFirstByte[value.first.map(Int.init) ?? 0].contains { shape in
            let length = value.count - shape.prefix.utf8CodeUnitCount
            guard length >= shape.lengthMin, length <= lengthMax else { return false }
            return value.dropFirst(shape.prefix.utf8CodeUnitCount).allSatisfy(shape.alphabet.contains)
                && value.starts(with: "\(shape.prefix)".utf8)
        }
    }

    /// True for a signed token, `eyJ….eyJ….…`; no host name has such a last label.
    private static func isWebToken(_ value: ArraySlice<UInt8>) -> Bool {
        let parts = value.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { $0.allSatisfy(Alphabet.url.contains) }
            && parts[0].starts(with: "eyJ".utf8) && parts[1].starts(with: "eyJ".utf8) && parts[2].count >= 40
    }

    /// True for a value under a secret's name that only a machine can have made: hexadecimal, or AWS's forty characters.
    static func isMachineMade(_ value: ArraySlice<UInt8>) -> Bool {
        if (32...128).contains(value.count), value.allSatisfy(Alphabet.hexadecimal.contains),
            value.contains(where: SecretScanner.isDigit)
        {
            return true
        }
        let isBase64 = value.allSatisfy {
            SecretScanner.isAlphanumeric($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/")
        }
        return value.count == 40 && isBase64 && value.first != UInt8(ascii: "/") && value.contains(where: SecretScanner.isDigit)
            && value.contains { $0 >= 65 && $0 <= 90 } && value.contains { $0 >= 97 && $0 <= 122 }
            && value.count { $0 == UInt8(ascii: "/") } <= 3
    }

    static let byFirstByte: [[SecretShape]] = {
        var result = [[SecretShape]](repeating: [], count: 256)
        // A static string's bytes live as long as the program.
        for shape in table { unsafe result[Int(shape.prefix.utf8Start[0])].append(shape) }
        return result
    }()
}
