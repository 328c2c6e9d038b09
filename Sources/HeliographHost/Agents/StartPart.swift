/// An agent whose sessions clients can start and resume, which its adapter then does.
struct StartPart {
    /// The program required on the daemon's PATH.
    let program: String
    /// In which it can be started, the one that asks most first.
    let modes: [String]
    /// Pictures reach it with its first prompt.
    let takesPictures: Bool
}
