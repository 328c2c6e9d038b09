import Testing

@testable import WebSocketEngine

@Suite("For how long a tick is put off")
struct TickDelayTests {
    private func time(_ nanoseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }

    @Test("it waits while there is something to gather for, and goes when its time has come")
    func waits() {
        var delay = TickDelay()
        delay.ask(forNanoseconds: 100)
        #expect(delay.begins(lingers: false))
        delay.wrote(at: time(1_000), lingers: 0)
        #expect(delay.holds { true })
        #expect(delay.end == time(1_100))
        delay.reached(time(1_099))
        #expect(delay.holds { true })
        delay.reached(time(1_100))
        #expect(!delay.holds { true })
    }

    @Test("it goes at once when nothing more is waited for")
    func goesEarly() {
        var delay = TickDelay()
        delay.ask(forNanoseconds: 100)
        delay.wrote(at: time(0), lingers: 0)
        #expect(delay.holds { true })
        #expect(!delay.holds { false })
        #expect(!delay.holdsTick)
    }

    @Test("one that was held is not held again, whatever is asked for and written in its turn")
    func isHeldOnce() {
        var delay = TickDelay()
        delay.ask(forNanoseconds: 100)
        delay.wrote(at: time(0), lingers: 0)
        #expect(delay.holds { true })
        delay.reached(time(100))
        delay.ask(forNanoseconds: 100)
        #expect(!delay.begins(lingers: true))
        #expect(!delay.holds { true })
        // The next tick may be delayed, but not by the earlier request.
        #expect(!delay.begins(lingers: false))
        #expect(delay.begins(lingers: true))
    }

    @Test("while it is held nothing makes it longer")
    func isNotProlonged() {
        var delay = TickDelay()
        delay.wrote(at: time(0), lingers: 50)
        #expect(delay.holds { true })
        delay.ask(forNanoseconds: 1_000)
        #expect(!delay.begins(lingers: true))
        #expect(delay.holds { true })
        #expect(delay.end == time(50))
    }

    @Test("of what was asked for and what the writes took the longer holds")
    func longer() {
        var delay = TickDelay()
        delay.ask(forNanoseconds: 20)
        delay.ask(forNanoseconds: 10)
        delay.wrote(at: time(0), lingers: 15)
        #expect(delay.end == time(20))
    }

    @Test("a time that has passed with nothing held is no reason not to wait the next time")
    func idle() {
        var delay = TickDelay()
        delay.ask(forNanoseconds: 100)
        delay.wrote(at: time(0), lingers: 0)
        #expect(!delay.holds { false })
        delay.reached(time(500))
        delay.ask(forNanoseconds: 100)
        #expect(delay.begins(lingers: false))
    }

    @Test("while nothing waits, what is asked for anew begins then, and an end that comes later stays")
    func anew() {
        var delay = TickDelay()
        delay.ask(forNanoseconds: 100)
        delay.wrote(at: time(0), lingers: 0)
        #expect(!delay.holds { false })
        delay.ask(forNanoseconds: 100)
        #expect(delay.begins(lingers: false))
        delay.wrote(at: time(50), lingers: 0)
        #expect(delay.end == time(150))
        #expect(!delay.holds { false })
        #expect(!delay.begins(lingers: true), "what the writes take is no reason")
        delay.ask(forNanoseconds: 10)
        delay.wrote(at: time(60), lingers: 0)
        #expect(delay.end == time(150))
        #expect(delay.holds { true })
    }

    @Test("when what was waited for has come, the next tick does not wait for the rest of the time")
    func shorter() {
        var delay = TickDelay()
        delay.ask(forNanoseconds: 100)
        delay.wrote(at: time(0), lingers: 0)
        #expect(delay.holds { true })
        #expect(!delay.holds { false })
        delay.shorten(to: time(200))
        #expect(delay.end == time(100))
        delay.shorten(to: time(60))
        #expect(delay.end == time(60), "another wait lasts until then")
        delay.shorten(to: nil)
        #expect(!delay.holds { true })
        delay.shorten(to: time(200))
        #expect(delay.end == nil)
        delay.ask(forNanoseconds: 10)
        #expect(delay.begins(lingers: false))
        delay.wrote(at: time(20), lingers: 0)
        #expect(delay.end == time(30))
        #expect(delay.holds { true })
        delay.shorten(to: nil)
        #expect(delay.end == time(30), "somebody waits for it")
    }

    @Test("a loop that ends waits for nothing")
    func ends() {
        var delay = TickDelay()
        delay.wrote(at: time(0), lingers: 100)
        #expect(delay.holds { true })
        delay.cancel()
        #expect(!delay.holds { true })
    }
}
