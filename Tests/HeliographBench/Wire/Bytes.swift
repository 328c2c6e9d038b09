internal import CHeliographLinux
internal import Glibc

/// Reads parts of a message without parsing it, because that must not cost more than sending it.
extension UnsafeRawBufferPointer {
    func starts(with text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        return unsafe memcmp(baseAddress!, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    func starts(with bytes: [UInt8]) -> Bool {
        guard count >= bytes.count else { return false }
        return unsafe bytes.withUnsafeBytes { unsafe memcmp(baseAddress!, $0.baseAddress!, $0.count) } == 0
    }

    /// Index after the first occurrence; nil if there is none.
    func end(of text: StaticString) -> Int? {
        guard count > 0, let found = unsafe clinux_find(baseAddress!, count, text.utf8Start, text.utf8CodeUnitCount) else {
            return nil
        }
        return unsafe UnsafeRawPointer(found) - baseAddress! + text.utf8CodeUnitCount
    }

    func contains(_ text: StaticString) -> Bool { unsafe end(of: text) != nil }

    /// Parses digits from `start`. Returns their value and the index after them; nil if there are none, or too many for a number.
    func number(at start: Int) -> (value: Int64, end: Int)? {
        var value: Int64 = 0
        var place = start
        while place < count, case let digit = unsafe self[place] &- UInt8(ascii: "0"), digit < 10 {
            guard place - start < 16 else { return nil }
            value = value * 10 + Int64(digit)
            place += 1
        }
        return place > start ? (value, place) : nil
    }

    func number(after text: StaticString) -> Int64? { unsafe end(of: text).flatMap { unsafe number(at: $0)?.value } }
}
