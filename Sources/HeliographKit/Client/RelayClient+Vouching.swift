internal import Consent
internal import DeviceConsent
internal import Foundation
internal import HeliographLink
public import LiveActivityKit
internal import RelayProtocol

/// Bringing another device to the hosts that trust this one.
extension RelayClient {
    /// A link for another device, valid for ten minutes and one device: it lets the device into the relay, if this app may do that,
    /// and asks the hosts that trust this one. The other device's code then appears in `RelayState.newcomer`. A new link replaces
    /// the last.
    ///
    /// Throws `notFound` if no host trusts this device.
    public func invite() async throws(LiveActivityError) -> String {
        guard let trust, let identity = try trust.identity(), !(try trust.book().hosts.isEmpty) else {
            throw LiveActivityError(.notFound, "No host trusts this device.")
        }
        let reply = try await answered { _ in .pair(.client) }
        guard let client = link.client else { throw LiveActivityError(.unreachable, "The relay did not answer.") }
        let secret = TrustSecret(.device(identity.id, client), secret: .fresh())
        vouching = Vouching(secret, by: identity, trust.crypto)
        vouchingUntil = .now + Self.vouchingFor
        (newcomerClient, state.newcomer) = (nil, nil)
        publish()
        if case .pairing(let given, _, _) = reply {
            guard let link = VouchingLink(given, at: relay.absoluteString, secret) else {
                throw LiveActivityError(.badAnswer, "The relay's link is none.")
            }
            return link.text
        }
        // For a device that the relay knows already: this one may not let any in.
        return "\(relay.absoluteString)/#k=\(secret.text)"
    }

    /// The person has confirmed that both screens show the same code. Returns the hosts that trust the newcomer now; throws
    /// `refused` with the host's reason if none does, `unreachable` if none answered.
    public func accept() async throws(LiveActivityError) -> [TrustedHost] {
        guard let trust, vouching != nil, state.newcomer != nil else { throw Self.nobody }
        let count = try trust.nextCount()
        vouching?.accept(at: try trust.book().hosts, count: count)
        state.newcomer = nil
        publish()
        (brought, unwilling) = ([], nil)
        let end = ContinuousClock.now + RelayClient.hostWithin
        await repeating(until: end) {
            for (host, bytes) in vouching?.unanswered ?? [] {
                if let letter = Letter(bytes) { submit(.letter(letter, to: .host(HostKeyID(host.id)))) }
            }
        } while: {
            vouching?.unanswered.isEmpty == false
        }
        introduce(vouching?.introductions ?? [])
        guard brought.isEmpty else { return brought.map(TrustedHost.init) }
        if let unwilling { throw LiveActivityError(.refused, unwilling) }
        throw LiveActivityError(.unreachable, "No host has answered.")
    }

    /// The person declines: the codes differ, or the device is unwanted.
    public func turnAway() throws(LiveActivityError) {
        guard state.newcomer != nil, let refusal = vouching?.decline() else { throw Self.nobody }
        state.newcomer = nil
        introduce([refusal])
        publish()
    }

    /// As long as the pairing code in the link.
    private static let vouchingFor = Duration.seconds(600)
    private static let nobody = LiveActivityError(.notFound, "Nobody asks to be let in.")

    /// Handles the `join` letter of another device.
    func receivedJoin(_ letter: Letter, from client: ClientID) {
        // The relay's word for when the link ends is none.
        if vouching?.isOpen == true, vouchingUntil < .now { vouching = nil }
        switch vouching?.received(letter.bytes) {
        case .asked(let newcomer):
            newcomerClient = client
            state.newcomer = Newcomer(name: VisibleText.line(newcomer.name), code: newcomer.id.shortCode)
        case .again(let answers):
            newcomerClient = client
            introduce(answers)
        case .refused(let reply): if let letter = Letter(reply) { submit(.letter(letter, to: .client(client))) }
        case .ignored, nil: break
        }
    }

    /// Handles an answer to a vouch. Returns false if the letter is none.
    func receivedAnswer(_ letter: Letter, by host: KeyID) -> Bool {
        switch try? vouching?.answered(letter.bytes, by: host) {
        case .brought(let pin): brought.append(pin)
        case .refused(let pin, let reason):
            let name = VisibleText.line(pin.name)
            unwilling = reason == .notTrusted ? "\(name) does not let this device bring others." : reason.sentence(host: name)
        case nil: return false
        }
        introduce(vouching?.introductions ?? [])
        return true
    }

    private func introduce(_ letters: [[UInt8]]) {
        guard let newcomerClient else { return }
        for bytes in letters { if let letter = Letter(bytes) { submit(.letter(letter, to: .client(newcomerClient))) } }
    }
}
