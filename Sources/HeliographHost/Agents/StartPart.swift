/// An agent whose sessions clients can start and resume; its adapter does it.
struct StartPart {
    /// The program required on the daemon's PATH.
    let program: String
    /// Modes in which it can be started, the one that asks most first.
    let modes: [String]
    /// True if it takes pictures with its first prompt.
    let takesPictures: Bool
}
