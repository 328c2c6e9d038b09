internal import Glibc

/// A date in any of the three forms of RFC 9110, section 5.6.7.
package enum HTTPDate {
    private static let bytesMax = 64

    /// The value of a `Date` header. In English, as no locale is ever set.
    package static var now: String {
        var (time, parts) = unsafe (time(nil), tm())
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytesMax) { buffer in
            guard unsafe gmtime_r(&time, &parts) != nil else { return "" }
            let count = unsafe strftime(buffer.baseAddress!, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return unsafe String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// Seconds since 1970; nil if the text has none of the forms.
    package static func seconds(_ text: String) -> Int64? {
        let words = text.split { " ,-:".contains($0) }
        let fields: [Substring]
        switch words.count {
        // Sun, 06 Nov 1994 08:49:37 GMT, or Sunday, 06-Nov-94 08:49:37 GMT
        case 8 where words[7] == "GMT": fields = [words[3], words[2], words[1]] + words[4...6]
        // Sun Nov  6 08:49:37 1994
        case 7: fields = [words[6], words[1], words[2]] + words[3...5]
        default: return nil
        }
        guard let month = months.firstIndex(of: fields[1]), let shortYear = number(fields[0], 0...9_999),
            let day = number(fields[2], 1...31), let hour = number(fields[3], 0...23), let minute = number(fields[4], 0...59),
            let second = number(fields[5], 0...60)
        else { return nil }
        // A year of two digits belongs to this century: nobody writes of an earlier one.
        let year = fields[0].utf8.count == 2 ? shortYear + 2_000 : shortYear
        let days = UTCCalendar.day(ofYear: year, month: Int64(month) + 1) + day - 1
        return days * 86_400 + hour * 3_600 + minute * 60 + second
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ text: Substring, _ range: ClosedRange<Int64>) -> Int64? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text).flatMap { range.contains($0) ? $0 : nil }
    }
}
