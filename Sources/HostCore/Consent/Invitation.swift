internal import Consent

/// The secret that the terminal shows now, and the caller that waits for the device which uses it.
struct Invitation {
    enum Progress {
        /// Becomes `joined`; or it is over, and there is none any more.
        case open
        /// Until its caller has asked.
        case joined(Pin)
    }

    let secret: TrustSecret
    /// The part of the past that the device may read.
    let history: SharedHistory
    var progress = Progress.open
    var caller: HookToken?
    /// When its caller must have asked, by the clock that never jumps.
    let calledBy: Int64

    /// When it is over because nobody waits for the device.
    var lonelyAt: Int64? {
        guard caller == nil, case .open = progress else { return nil }
        return calledBy
    }
}
