import Dispatch
import Glibc

/// Turns a signal into a call on a queue of its own.
enum ShutdownSignals {
    private static let queue = DispatchQueue(label: "heliograph.signals")

    static func handle(_ number: Int32, _ body: @escaping @Sendable () -> Void) {
        // The default action would end the process before the source hears of it.
        _ = signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: body)
        source.resume()
        // It listens as long as the process lives.
        _ = unsafe Unmanaged.passRetained(source as AnyObject)
    }
}
