import Consent
import HostCore

/// What a host keeps of its consent, in memory; fails on demand.
final class MemoryPins: ConsentDisk {
    private(set) var book: PinBook
    private(set) var isSigned = false
    /// `save` and `sign`, in their order.
    private(set) var calls: [String] = []
    var isFailing = false

    init(_ book: PinBook) { self.book = book }

    /// Somebody puts an older file back.
    func restore(_ book: PinBook) { self.book = book }

    func save(_ book: PinBook) throws(SpoolError) {
        if isFailing { throw SpoolError(.full, "full") }
        calls.append("save")
        self.book = book
    }

    func keepSigned() throws(SpoolError) {
        if isFailing { throw SpoolError(.full, "full") }
        calls.append("sign")
        isSigned = true
    }
}
