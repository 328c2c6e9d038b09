import Consent
import ConsentKeys
import DeviceConsent
import Testing

@Suite("Which devices a host trusts, as it says itself")
struct RollCallsTests {
    private let host = PrivateKeys().identity
    private let device = PrivateKeys().identity

    private func pin(_ identity: ConsentIdentity, _ name: String) -> Pin {
        Pin(sign: identity.sign, box: identity.box, name: name, since: 1, by: .terminal, may: [.allow], .openSSL)
    }

    private func answer(_ ask: Ask, _ pins: PinBook, by host: ConsentIdentity) -> [UInt8] {
        let roll = Roll(of: pins, sign: host.sign, letter: ConsentCrypto.openSSL.hash(ask.body))
        return SignedLetter(.roll(roll), by: host, .openSSL).bytes
    }

    @Test("a device that comes later is new until it was read of; those before this one are not")
    func newcomer() throws {
        var pins = PinBook(generation: .random())
        try pins.trust(pin(PrivateKeys().identity, "desk"))
        try pins.trust(pin(device, "phone"))
        var calls = RollCalls(known: [:], .openSSL)
        #expect(calls.met([host.id], isNewConnection: true, by: device.id) { .random() })
        let ask = try #require(calls.due().first)
        let isAnswer = calls.received(answer(ask, pins, by: host), by: host.id, to: device.id)
        #expect(isAnswer)
        #expect(calls.due().isEmpty && calls.roll(of: host.id)?.entries.map(\.name) == ["phone", "desk"])
        #expect(pins.devices.allSatisfy { !calls.isNew($0.id, at: host.id) })

        // A second answer to the same letter.
        let tablet = PrivateKeys().identity
        try pins.trust(pin(tablet, "tablet"))
        let isAgain = calls.received(answer(ask, pins, by: host), by: host.id, to: device.id)
        #expect(isAgain)
        #expect(calls.isNew(tablet.id, at: host.id))
        calls.read(tablet.id, at: host.id)
        #expect(!calls.isNew(tablet.id, at: host.id))
        #expect(!RollCalls(known: calls.known, .openSSL).isNew(tablet.id, at: host.id))
    }

    @Test("another host's list, or one for another letter, is none")
    func forged() throws {
        let pins = PinBook(generation: .random())
        var calls = RollCalls(known: [:], .openSSL)
        _ = calls.met([host.id], isNewConnection: true, by: device.id) { .random() }
        let ask = try #require(calls.due().first)
        let isForeign = calls.received(answer(ask, pins, by: PrivateKeys().identity), by: host.id, to: device.id)
        #expect(!isForeign)
        let other = Ask(host: host.id, nonce: .random(), device: device.id)
        let isOther = calls.received(answer(other, pins, by: host), by: host.id, to: device.id)
        #expect(!isOther)
        #expect(calls.roll(of: host.id) == nil)
    }

    @Test("an unanswered letter is sent a few times, and anew on another connection")
    func tries() {
        var calls = RollCalls(known: [:], .openSSL)
        _ = calls.met([host.id], isNewConnection: true, by: device.id) { .random() }
        var sent = 0
        while !calls.due().isEmpty { sent += 1 }
        #expect(sent == 6)
        #expect(!calls.met([host.id], isNewConnection: false, by: device.id) { .random() })
        #expect(calls.met([host.id], isNewConnection: true, by: device.id) { .random() } && !calls.due().isEmpty)
    }
}
