import Consent
import ConsentKeys
import DeviceConsent
import RelayProtocol
import Testing

@Suite("A device's way to the trust of hosts")
struct TrustSeekingTests {
    private let host = PrivateKeys().identity
    private let device = PrivateKeys().identity

    private func seek(_ secret: TrustSecret, _ hosts: Set<KeyID>) -> TrustSeeking {
        TrustSeeking(
            secret, at: TrustSeeking.peers(of: secret, among: hosts), by: device, name: "phone", nonce: { .random() }, .openSSL)
    }

    @Test("a host that shows the secret admits; the letter stays the same until then")
    func admitted() throws {
        let secret = TrustSecret(.host(host.id), secret: .random())
        var seeking = seek(secret, [])
        let (letter, peer) = try #require(seeking.letters.first)
        #expect(seeking.letters.first?.letter == letter && peer == .host(HostKeyID(host.id)))
        var desk = TrustDesk(host, .openSSL)
        var pins = PinBook(generation: .random())
        try desk.show(secret, until: 1_000)
        let reply = try #require(desk.received(letter.bytes, at: 0, wall: 1, nonce: .random(), pins: &pins).reply)
        let answer = try #require(Letter(reply))
        #expect(seeking.received(answer, from: .host(HostKeyID(device.id)), wall: 5) == nil)
        guard case .trusted(let pin) = seeking.received(answer, from: peer, wall: 5) else { return #expect(Bool(false)) }
        #expect(pin.id == host.id && seeking.isDone && seeking.trusted == [pin] && pins[device.id] != nil)
        #expect(seeking.received(answer, from: peer, wall: 5) == nil)
    }

    @Test("whoever does not know the secret is ignored, or refuses")
    func refused() throws {
        let secret = TrustSecret(.machine, secret: .random())
        var seeking = seek(secret, [host.id])
        let (letter, peer) = try #require(seeking.letters.first)
        var desk = TrustDesk(PrivateKeys().identity, .openSSL)
        var pins = PinBook(generation: .random())
        let other = try #require(
            desk.received(letter.bytes, at: 0, wall: 1, nonce: .random(), pins: &pins).reply.flatMap(Letter.init))
        guard case .ignored = seeking.received(other, from: peer, wall: 5) else { return #expect(Bool(false)) }
        desk = TrustDesk(host, .openSSL)
        let own = try #require(
            desk.received(letter.bytes, at: 0, wall: 1, nonce: .random(), pins: &pins).reply.flatMap(Letter.init))
        #expect(seeking.received(own, from: peer, wall: 5) == .notConcerned && seeking.isDone)
    }
}
