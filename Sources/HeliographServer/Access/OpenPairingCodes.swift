import WebSocketEngine

/// The redeemable codes, for addresses that have tried too many wrong ones. They are read once a second at most: so guesses are no
/// load on the store, and a right code from the same address is still accepted. Confined to the main loop's thread.
final class OpenPairingCodes {
    private let loop: EventLoop
    private let interval: Duration
    /// Reads the codes' digests, and calls back with them, or with nil if the store could not be read.
    private let read: (@escaping (Set<[UInt8]>?) -> Void) -> Void
    private var digests: Set<[UInt8]> = []
    private lazy var reads = PacedReads(loop: loop, interval: interval) { [unowned self] done in
        read { [self] found in
            if let found { digests = found }
            done(found != nil)
        }
    }

    init(
        loop: EventLoop, interval: Duration = PacedReads.interval, read: @escaping (@escaping (Set<[UInt8]>?) -> Void) -> Void
    ) {
        self.loop = loop
        self.interval = interval
        self.read = read
    }

    /// Calls back with true if the code can be redeemed, once per read of the codes: so repeating a used code causes no more load.
    func take(_ digest: [UInt8], then answer: @escaping (Bool) -> Void) {
        if digests.remove(digest) != nil { return answer(true) }
        reads.askInTime { [self] _ in answer(digests.remove(digest) != nil) }
    }
}
