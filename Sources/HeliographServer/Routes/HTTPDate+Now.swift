import Glibc
import PushWeb

extension HTTPDate {
    private static let bytesMax = 64

    /// The value of the `Date` header, from which the page computes the difference of its clock. In English, as no locale is ever set.
    static var now: String {
        var (time, parts) = unsafe (time(nil), tm())
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytesMax) { buffer in
            guard unsafe gmtime_r(&time, &parts) != nil else { return "" }
            let count = unsafe strftime(buffer.baseAddress!, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return unsafe String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
