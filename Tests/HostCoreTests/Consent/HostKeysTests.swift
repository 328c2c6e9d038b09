import Consent
import RelayProtocol
import Testing

@testable import HostCore

@Suite("Keys for a terminal of a host that wants signatures")
struct HostKeysTests {
    private typealias Bench = ConsentBench

    private func bench(_ setting: ConsentSetting = .signed) throws -> Bench {
        var bench = try Bench(setting)
        var offer = SteeringOffer(actions: [.stop])
        offer.hasScreen = true
        let works = Event(.statusChanged(.running, reason: nil), at: 1)
        bench.tell([.emit(Bench.session, works.bytes, isKept: true), .offer(Bench.session, offer)])
        show("t1.1", &bench)
        return bench
    }

    private func show(_ drawing: String, _ bench: inout Bench) {
        looks.number += 1
        _ = bench.look("l\(looks.number)", shows: Array(#"{"of":"\#(drawing)","rows":1,"columns":1,"lines":[]}"#.utf8))
    }

    private final class Looks { var number = 0 }
    private let looks = Looks()

    @Test("keys are typed if a trusted device signed exactly these for exactly this message, and once")
    func signed() throws {
        var bench = try bench()
        let keys = Array("ihello".utf8)
        let good = bench.keysSignature(keys, "k1")
        #expect(bench.type(keys, "k2", signature: good) == ConsentRefusal.badSignature.sentence, "another message")
        #expect(bench.type(keys + [13], "k3", signature: good) == ConsentRefusal.badSignature.sentence, "another key")
        #expect(bench.type(keys, "k4", signature: nil) == ConsentRefusal.unsigned.sentence)
        let stranger = bench.keysSignature(keys, "k5", by: Bench.Device(name: "A stranger"))
        #expect(bench.type(keys, "k5", signature: stranger) == ConsentRefusal.notTrusted.sentence)
        #expect(bench.type(keys, "k1", signature: good) == "typed", "none of these was in its way")
        try bench.restart()
        #expect(bench.type(keys, "k1", signature: good) != "typed", "not again, in no life of the daemon")
    }

    @Test("keys that the relay has held back are not typed into another dialog, and typing ahead goes on")
    func withheld() throws {
        var bench = try bench()
        let held = bench.keysSignature([49], "k1")
        #expect(bench.type([49], "k1", signature: held, seen: "t1.2") == HostMachine.screenIsAnother, "the relay names another")
        show("t1.2", &bench)
        #expect(bench.type([49], "k1", signature: held, seen: "t1.2") == ConsentRefusal.badSignature.sentence)
        bench.pass(.seconds(30))
        show("t1.2", &bench)
        let ahead = bench.keysSignature([50], "k2", seen: "t1.1")
        #expect(bench.type([50], "k2", signature: ahead) == "typed", "it was shown thirty seconds ago")
        bench.pass(.milliseconds(1))
        let late = bench.keysSignature([51], "k3", seen: "t1.1")
        #expect(bench.type([51], "k3", signature: late) == HostMachine.screenIsAnother)
        let now = bench.keysSignature([51], "k4", seen: "t1.2")
        #expect(bench.type([51], "k4", signature: now, seen: "t1.2") == "typed")
        #expect(bench.type([51], "k5", signature: now, seen: nil) == HostMachine.screenIsAnother)
    }

    @Test("keys that were overtaken are not typed: the order is the device's")
    func order() throws {
        var bench = try bench()
        let first = bench.keysSignature([1], "k1")
        let second = bench.keysSignature([2], "k2")
        #expect(bench.type([2], "k2", signature: second) == "typed")
        #expect(bench.type([1], "k1", signature: first) == ConsentRefusal.oldCount.sentence)
    }

    @Test("a signature for a prompt or a command is none for keys")
    func others() throws {
        var bench = try bench()
        let text = "go"
        let prompt = bench.signature(.prompt(.init(text: text)), "k1")
        #expect(bench.type(Array(text.utf8), "k1", signature: prompt) == ConsentRefusal.badSignature.sentence)
    }

    @Test("an open host types what the relay brings")
    func open() throws {
        var bench = try bench(.open)
        #expect(bench.type([1], "k1", signature: nil, seen: nil) == "typed")
    }
}
