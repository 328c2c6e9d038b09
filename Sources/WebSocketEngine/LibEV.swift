internal import CHeliographLibwebsockets
internal import Glibc

/// The functions of libev that are called here. It is loaded with libwebsockets' plug-in, so that the binary also runs on a machine
/// without them. The numeric constants are fixed by libev's major version.
@safe struct LibEV {
    private typealias Make = @convention(c) (UInt32) -> UnsafeMutableRawPointer?
    private typealias Destroy = @convention(c) (UnsafeMutableRawPointer) -> Void
    private typealias Run = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32
    private typealias Feed = @convention(c) (UnsafeMutableRawPointer, Int32, Int32) -> Void

    private let loopNew: Make
    private let loopDestroy: Destroy
    private let run: Run
    private let feedDescriptorEvent: Feed

    /// Nil if the plug-in or libev is not installed.
    init?() {
        // The file is looked for first, because libwebsockets logs an error if its plug-in is missing.
        guard let folder = unsafe clws_plugin_directory(),
            unsafe access(String(cString: folder) + "/libwebsockets-evlib_ev.so", R_OK) == 0,
            let library = unsafe dlopen("libev.so.4", RTLD_NOW), let make = unsafe dlsym(library, "ev_loop_new"),
            let destroy = unsafe dlsym(library, "ev_loop_destroy"), let run = unsafe dlsym(library, "ev_run"),
            let feed = unsafe dlsym(library, "ev_feed_fd_event")
        else { return nil }
        unsafe loopNew = unsafeBitCast(make, to: Make.self)
        unsafe loopDestroy = unsafeBitCast(destroy, to: Destroy.self)
        unsafe self.run = unsafeBitCast(run, to: Run.self)
        unsafe feedDescriptorEvent = unsafeBitCast(feed, to: Feed.self)
    }

    /// A loop that waits by epoll, whatever the environment variables say.
    func make() -> UnsafeMutableRawPointer? {
        let (backendEpoll, ignoreEnvironment): (UInt32, UInt32) = (4, 0x0100_0000)
        return unsafe loopNew(backendEpoll | ignoreEnvironment)
    }

    func destroy(_ loop: UnsafeMutableRawPointer) { unsafe loopDestroy(loop) }

    /// Waits once, and serves the descriptors that became ready.
    func wait(_ loop: UnsafeMutableRawPointer) {
        let once: Int32 = 2
        _ = unsafe run(loop, once)
    }

    func feedReadable(_ loop: UnsafeMutableRawPointer, _ descriptor: Int32) {
        let readable: Int32 = 1
        unsafe feedDescriptorEvent(loop, descriptor, readable)
    }
}
