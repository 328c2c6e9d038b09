import Consent
import HostCore

/// A host's consent files in memory; writes fail on demand.
final class MemoryPins: ConsentDisk {
    private(set) var book: PinBook
    private(set) var epochs = EpochBook()
    private(set) var isSigned = false
    /// `save`, `keys` and `sign`, in their order.
    private(set) var calls: [String] = []
    var isFailing = false
    /// True if only writes of the epochs' keys fail.
    var isFailingKeys = false
    var isFailingPins = false
    /// Called when the keys are about to be on disk.
    var beforeKeys: () -> Void = {}

    init(_ book: PinBook) { self.book = book }

    /// Replaces the book by an older one.
    func restore(_ book: PinBook) { self.book = book }

    func restore(_ epochs: EpochBook) { self.epochs = epochs }

    func save(_ epochs: EpochBook) throws(SpoolError) {
        if isFailing || isFailingKeys { throw SpoolError(.full, "full") }
        beforeKeys()
        calls.append("keys")
        self.epochs = epochs
    }

    func save(_ book: PinBook) throws(SpoolError) {
        if isFailing || isFailingPins { throw SpoolError(.full, "full") }
        calls.append("save")
        self.book = book
    }

    func keepSigned() throws(SpoolError) {
        if isFailing { throw SpoolError(.full, "full") }
        calls.append("sign")
        isSigned = true
    }
}
