import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct PasskeyAskTests {
    private let world = TrustWorld()
    private let own = Authenticator()

    init() throws { try world.pins.trust(.of(world.device)) }

    private func ask(_ count: Int64, _ passkey: Authenticator? = nil, host: KeyID? = nil) -> PasskeyAsk {
        let one = passkey ?? own
        return PasskeyAsk(
            host: host ?? world.host.id, passkey: one.keys.sign, origin: PasskeyOrigin(one.origin)!, count: count,
            device: world.device.id)
    }

    private var pin: Pin { world.pins[world.device.id]! }

    @Test func `a passkey waits until a person says yes, and the device is told both`() throws {
        guard
            case .passkeyAsked(let passkey, by: _, ask: let hash, isNew: true, let reply?) = world.receive(
                .passkey(ask(1)), by: world.device)
        else { return #expect(Bool(false), "not asked") }
        #expect(passkey.sign == own.keys.sign && passkey.origin.text == own.origin && passkey.since == 77)
        #expect(hash == crypto.hash(ask(1).bytes))
        #expect(pin.askedPasskey == passkey && pin.passkeys.isEmpty && pin.count == 1)
        #expect(try LetterAnswer(reply, to: ask(1), by: world.host.id, crypto) == .refused(.waiting, world.pins.generation))
        guard case .passkeyAsked(_, by: _, ask: _, isNew: false, _) = world.receive(.passkey(ask(2)), by: world.device) else {
            return #expect(Bool(false), "asked twice")
        }
        #expect(world.pins.takePasskey(of: world.device.id) == passkey)
        #expect(pin.passkeys == [passkey] && pin.askedPasskey == nil)
        #expect(try LetterAnswer(world.desk.receipt(of: hash), to: ask(1), by: world.host.id, crypto) == .done)
        // The same letter again, or another for the same passkey.
        for count: Int64 in [1, 9] {
            guard case .again(let reply) = world.receive(.passkey(ask(count)), by: world.device) else {
                return #expect(Bool(false), "no answer")
            }
            #expect(try LetterAnswer(reply, to: ask(count), by: world.host.id, crypto) == .done)
        }
        #expect(world.pins.takePasskey(of: world.device.id) == nil)
    }

    @Test func `only a trusted device asks for its own, at this host, with a count of its own`() throws {
        let stranger = ConsentIdentity.new()
        #expect(world.reason(world.receive(.passkey(ask(1)), by: stranger)) == .badSignature)
        #expect(world.reason(world.receive(.passkey(ask(1, host: stranger.id)), by: world.device)) == .notForThis)
        var foreign = ask(1)
        foreign.device = stranger.id
        #expect(world.reason(world.receive(.passkey(foreign), by: stranger)) == .notTrusted)
        world.receive(.passkey(ask(5)), by: world.device)
        #expect(world.reason(world.receive(.passkey(ask(5, Authenticator())), by: world.device)) == .oldCount)
        var off = ask(6)
        off.passkey = SigningPoint([4] + [UInt8](repeating: 1, count: 64))!
        #expect(world.reason(world.receive(.passkey(off), by: world.device)) == .badSignature)
        #expect(pin.askedPasskey?.sign == own.keys.sign)
        _ = world.pins.begin(keyFile: .random(), fresh: .random())
        #expect(world.reason(world.receive(.passkey(ask(7)), by: world.device)) == .restored)
    }

    @Test func `a later one replaces what waits, and there is room for so many`() throws {
        world.receive(.passkey(ask(1)), by: world.device)
        let later = Authenticator()
        world.receive(.passkey(ask(2, later)), by: world.device)
        #expect(pin.askedPasskey?.sign == later.keys.sign)
        for count in 0..<PinBook.passkeysMax {
            world.receive(.passkey(ask(Int64(count) + 10, Authenticator())), by: world.device)
            #expect(world.pins.takePasskey(of: world.device.id) != nil)
        }
        #expect(world.reason(world.receive(.passkey(ask(99, Authenticator())), by: world.device)) == .full)
    }

    @Test func `no letter with a changed byte is taken, and each is spelled in one way`() throws {
        let letter = SignedLetter(.passkey(ask(1)), by: world.device, crypto).bytes
        #expect(try SignedLetter(parsing: letter).bytes == letter)
        let before = world.pins
        for index in letter.indices { world.receive(letter.changed(at: index)) }
        #expect(world.pins == before)
    }

    @Test func `passkeys are in the file, and stay with a key that is not trusted any more to prove what they confirmed`()
        throws
    {
        world.receive(.passkey(ask(1)), by: world.device)
        _ = world.pins.takePasskey(of: world.device.id)
        world.receive(.passkey(ask(2, Authenticator())), by: world.device)
        #expect(try PinBook(parsing: world.pins.bytes, crypto) == world.pins)
        try world.pins.trust(.of(world.device, name: "again"))
        #expect(pin.passkeys.count == 1 && pin.askedPasskey != nil, "paired once more, it is the same device")
        world.pins.distrust(world.device.id)
        let text = String(decoding: world.pins.bytes, as: UTF8.self)
        #expect(text.contains(own.keys.sign.text))
        #expect(try PinBook(parsing: world.pins.bytes, crypto) == world.pins)
        try world.pins.trust(.of(world.device))
        #expect(pin.passkeys.isEmpty)
    }

    @Test func `a file whose passkeys are wrong is refused with the place`() throws {
        world.receive(.passkey(ask(1)), by: world.device)
        _ = world.pins.takePasskey(of: world.device.id)
        let text = String(decoding: world.pins.bytes, as: UTF8.self)
        let bad = text.replacing("https://relay.example", with: "ftp://relay.example")
        let error = #expect(throws: ConsentError.self) { try PinBook(parsing: Array(bad.utf8), crypto) }
        #expect(error?.path == "$.devices[0].passkeys[0].origin")
    }
}
