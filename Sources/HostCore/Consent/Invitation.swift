internal import Consent

/// The secret that the terminal shows now, and the caller that waits for the device which uses it.
struct Invitation {
    enum Progress {
        /// No device has joined. Becomes `joined`, or the invitation ends and is removed.
        case open
        /// This device has joined; kept until the caller has asked.
        case joined(Pin)
    }

    let secret: TrustSecret
    /// The part of the past that the device may read.
    let history: SharedHistory
    var progress = Progress.open
    var caller: HookToken?
    /// Time by which its caller must have asked, on the monotonic clock.
    let calledBy: Int64

    /// Time at which the invitation ends because nobody waits for the device.
    var lonelyAt: Int64? {
        guard caller == nil, case .open = progress else { return nil }
        return calledBy
    }
}
