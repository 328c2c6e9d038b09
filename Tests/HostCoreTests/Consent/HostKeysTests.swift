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
        return bench
    }

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
        #expect(bench.type([1], "k1", signature: nil) == "typed")
    }
}
