import Glibc
import Testing

@testable import HeliographPlatform

@Suite("Signals that a thread waits for")
struct BlockedSignalsTests {
    @Test("come to the thread that waits, and say that a process sent them")
    func sent() async {
        let signal = await withCheckedContinuation { continuation in
            // A thread of its own: the mask is this thread's, and the signal is sent to it alone.
            let isStarted = BackgroundThread.start {
                let signals = BlockedSignals([SIGUSR2])
                pthread_kill(pthread_self(), SIGUSR2)
                continuation.resume(returning: signals.next())
            }
            #expect(isStarted)
        }
        #expect(signal.number == SIGUSR2 && signal.isFromProcess)
    }
}
