/// A loop of libev that waits by epoll(7), for libwebsockets' plug-in to put its sockets into.
///
/// It is *foreign* to libwebsockets, which therefore neither catches signals with it nor destroys it: the plug-in's own loop takes
/// SIGINT away from us. The plug-in arms its timer only after it has served a socket, and does what is left over only then. So
/// nothing of ours depends on its timer (`TimerAlarm`), and `nudge` makes it look.
@safe final class EpollWait {
    private let libev: LibEV
    private let loop: UnsafeMutableRawPointer

    /// Nil if the plug-in or libev is not installed, or the kernel refuses an epoll instance.
    init?() {
        guard let libev = LibEV(), let loop = unsafe libev.make() else { return nil }
        self.libev = libev
        unsafe self.loop = loop
    }

    /// After the context that uses it.
    deinit {
        unsafe libev.destroy(loop)
    }

    /// Calls `body` with what `lws_context_creation_info.foreign_loops` points to.
    func withForeignLoops<Result>(_ body: (UnsafeMutablePointer<UnsafeMutableRawPointer?>) -> Result) -> Result {
        var pointer: UnsafeMutableRawPointer? = unsafe loop
        return unsafe withUnsafeMutablePointer(to: &pointer) { unsafe body($0) }
    }

    /// Serves what became ready, and waits for it if nothing is.
    func wait() {
        unsafe libev.wait(loop)
    }

    /// The next wait ends at once, after the plug-in has done what is left over. As if `descriptor`, of the loop, were readable.
    func nudge(_ descriptor: Int32) {
        unsafe libev.feedReadable(loop, descriptor)
    }
}
