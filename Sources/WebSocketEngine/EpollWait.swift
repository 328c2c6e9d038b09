/// A libev loop that waits by epoll(7), into which libwebsockets' plug-in puts its sockets.
///
/// It is *foreign* to libwebsockets, which therefore neither destroys it nor catches signals with it: the plug-in's own loop would
/// take SIGINT from us. The plug-in arms its timer, and does postponed work, only after it has served a socket. So none of our code
/// depends on that timer (`TimerAlarm`), and `nudge` makes the plug-in look.
@safe final class EpollWait {
    private let libev: LibEV
    private let loop: UnsafeMutableRawPointer

    /// Nil if the plug-in or libev is not installed, or the kernel refuses an epoll instance.
    init?() {
        guard let libev = LibEV(), let loop = unsafe libev.make() else { return nil }
        self.libev = libev
        unsafe self.loop = loop
    }

    /// Runs after the context that uses it is gone.
    deinit {
        unsafe libev.destroy(loop)
    }

    /// Calls `body` with what `lws_context_creation_info.foreign_loops` points to.
    func withForeignLoops<Result>(_ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Result) -> Result {
        var pointer: UnsafeMutableRawPointer? = unsafe loop
        return unsafe withUnsafeMutablePointer(to: &pointer) { unsafe body($0) }
    }

    /// Serves the sockets that are ready, and waits for one if none is.
    func wait() {
        unsafe libev.wait(loop)
    }

    /// Makes the next wait end at once, after the plug-in has done its postponed work, as if `descriptor` of the loop were
    /// readable.
    func nudge(_ descriptor: Int32) {
        unsafe libev.feedReadable(loop, descriptor)
    }
}
