internal import Glibc

/// A detached thread for one blocking call.
package enum BackgroundThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Returns: false if the system starts no thread, and the body will not run.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        // The thread takes over the one reference.
        let box = unsafe Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let failure = unsafe pthread_create(
            &thread, nil,
            { box in
                unsafe Unmanaged<Body>.fromOpaque(box!).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard failure == 0 else {
            unsafe box.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
