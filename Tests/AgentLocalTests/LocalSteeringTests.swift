import HostCore
import RelayProtocol
import Testing

@testable import AgentLocal

@Suite("Any program: steering")
struct LocalSteeringTests {
    private static let idle = #","offer":{"actions":["prompt","stop"]},"standing":"idle""#
    private static let prompt = SteeringAction.prompt(.init(text: "go on"))
    private static let handed =
        #"{"type":"prompt","id":"k1","session":"local-s1","by":{"id":"c1","name":"Ada's phone"},"text":"go on","busy":"queue"}"#

    private func waiting() throws -> LocalBench {
        var bench = LocalBench()
        try bench.steering("steering", Self.idle)
        #expect(
            bench.take() == ["local-s1: started local", "local-s1: idle", "offers prompt stop", "stands idle", "1: {}"])
        try bench.steering("steering/next")
        #expect(bench.take() == ["offers prompt stop"])
        return bench
    }

    @Test("a prompt is handed to the request that waits, and ends as the program says")
    func prompt() throws {
        var bench = try waiting()
        bench.steer(Self.prompt, "k1")
        #expect(bench.take() == ["2: \(Self.handed)"])
        bench.steer(.stop, "k2")
        #expect(bench.take() == [], "nothing waits")
        try bench.steering("steered", #","client":"c1","command":"k1","stage":"taken""#)
        #expect(bench.take() == ["steering: k1 taken", "3: {}"])
        try bench.steering("steering/next")
        #expect(bench.take().last?.contains(#""type":"stop""#) == true)
    }

    @Test("how it stands is its status, unless it says that itself")
    func status() throws {
        var bench = try waiting()
        try bench.steering("steering", Self.idle.replacing("idle", with: "busy"))
        #expect(bench.take().first == "local-s1: running")
        try bench.send(#"{"session":"s1","kind":"status.changed","head":{"status":"completed"}}"#)
        _ = bench.take()
        try bench.steering("steering", Self.idle)
        #expect(bench.take() == ["offers prompt stop", "stands idle", "5: {}"])
        // The session starts again before its end was known.
        try bench.send(#"{"session":"s1","kind":"session.started","head":{"agent":{"name":"mine"}}}"#)
        _ = bench.take()
        try bench.steering("steering", Self.idle)
        #expect(bench.take().contains("local-s1: idle"))
    }

    @Test("what goes on in the background stays over a restart of the daemon, until the program says otherwise")
    func background() throws {
        for (more, expected) in [("idle", []), ("busy", ["local-s1: running"])] {
            var bench = try waiting()
            try bench.send(
                #"{"session":"s1","kind":"status.changed","head":{"status":"idle","reason":"in the background: a call"}}"#)
            bench.restart()
            _ = bench.take()
            try bench.steering("steering", Self.idle.replacing("idle", with: more))
            #expect(bench.take().filter { $0.hasPrefix("local-s1") } == expected)
            bench.restart()
            _ = bench.take()
            try bench.steering("steering", Self.idle)
            #expect(bench.take().filter { $0.hasPrefix("local-s1") } == (more == "idle" ? [] : ["local-s1: idle"]))
        }
    }

    @Test("nothing is given to a program that has not said what can be done")
    func unasked() throws {
        var bench = LocalBench()
        try bench.send(#"{"session":"s1","kind":"message","head":{"role":"user"}}"#)
        _ = bench.take()
        bench.steer(Self.prompt, "k1")
        #expect(bench.take() == ["steering: k1 refused (this session cannot be steered)"])
        try bench.steering("steering/next")
        #expect(bench.take() == ["2: 409 conflict"])
    }

    @Test("while a question is open it waits, whatever it says")
    func question() throws {
        var bench = try waiting()
        try bench.ask()
        #expect(bench.take().last == "stands waiting")
        try bench.steering("steering", Self.idle)
        #expect(bench.take().contains("stands waiting"))
        try bench.decide(.allow)
        #expect(bench.take().last == "stands idle")
    }

    @Test("of two runs of the program the newer has the session, and the older is told so")
    func runs() throws {
        func run(_ name: String, _ since: Int) -> String { #","run":{"name":"\#(name)","since":\#(since)}"# }
        var bench = LocalBench()
        try bench.steering("steering", Self.idle + run("a", 1))
        try bench.steering("steering/next", run("a", 1))
        try bench.steering("steering", Self.idle + run("b", 2))
        #expect(bench.take().contains("2: 409 conflict"))
        try bench.steering("steering/next", run("a", 1))
        try bench.steering("steering", Self.idle + run("a", 1))
        #expect(bench.take() == ["4: 409 conflict", "5: 409 conflict"])
        try bench.steering("steering/next", run("b", 2))
        bench.steer(Self.prompt, "k1")
        #expect(bench.take() == ["offers prompt stop", "6: \(Self.handed)"])
    }

    @Test("killed while it waits: nothing more is offered, and it comes back with the same offer")
    func gone() throws {
        var bench = try waiting()
        bench.steer(Self.prompt, "k1")
        try bench.steering("steering/next")
        _ = bench.take()
        bench.hangUp(3)
        #expect(bench.take() == ["offers ", "steering: k1 unknown (the program that runs the session is gone)"])
        try bench.steering("steering/next")
        #expect(bench.take() == ["offers prompt stop"])
    }

    @Test("its session ends: its request is answered, and what it never fetched was not given")
    func ended() throws {
        var bench = try waiting()
        bench.steer(Self.prompt, "k1")
        bench.steer(.stop, "k2")
        _ = bench.take()
        try bench.send(#"{"session":"s1","kind":"session.ended"}"#)
        #expect(
            bench.take().prefix(2) == ["steering: k2 refused (the program that runs the session is gone)", "local-s1: ended "])
        try bench.steering("steering", Self.idle)
        #expect(bench.take() == ["4: 409 conflict"], "what has ended is not begun anew by that")
    }

    @Test("the wait is bounded, and what is not fetched is refused in time")
    func bounded() throws {
        var bench = try waiting()
        bench.pass(.seconds(301))
        #expect(bench.take() == ["2: 204"])
        bench.steer(Self.prompt, "k1")
        bench.pass(.seconds(11))
        #expect(bench.take() == ["steering: k1 refused (the program did not fetch it)"])
    }

    @Test("of two who wait for one session the newer is the one")
    func two() throws {
        var bench = try waiting()
        try bench.steering("steering/next")
        #expect(bench.take() == ["offers prompt stop", "2: 409 conflict"])
        bench.steer(Self.prompt, "k1")
        #expect(bench.take() == ["3: \(Self.handed)"])
    }
}
