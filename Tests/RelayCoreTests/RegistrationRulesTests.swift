import RelayCore
import RelayProtocol
import Testing

@Suite struct RegistrationRulesTests {
    private static let day: Int64 = 24 * 60 * 60 * 1000

    private func registration(_ name: String, from address: String = "192.0.2.1", at: Int64 = 0) -> Registration {
        Registration(workspace: WorkspaceID(name)!, from: address, at: at)
    }

    private func token(_ workspace: String, createdAt: Int64, usedAt: Int64? = nil, isRevoked: Bool = false) -> Token {
        var token = Token(
            id: "t-\(workspace)-\(createdAt)", digest: [], role: .host, subject: "h1", name: "laptop",
            workspace: WorkspaceID(workspace)!, createdAt: createdAt)
        token.lastUse = usedAt.map { TokenUse(at: $0, from: nil) }
        token.revokedAt = isRevoked ? createdAt + 1 : nil
        return token
    }

    @Test func `an address has so many at once, and all addresses together`() {
        var rules = RegistrationRules()
        rules.perAddressMax = 2
        rules.countMax = 3
        let two = [registration("w1"), registration("w2")]
        #expect(rules.refusal(of: "192.0.2.1", beside: Array(two.prefix(1)), among: 2) == nil)
        #expect(rules.refusal(of: "192.0.2.1", beside: two, among: 3) == .perAddress)
        #expect(rules.refusal(of: "192.0.2.2", beside: two, among: 3) == nil)
        let three = two + [registration("w3", from: "192.0.2.2")]
        #expect(rules.refusal(of: "192.0.2.3", beside: three, among: 4) == .count)
        #expect(
            rules.refusal(of: "192.0.2.2", beside: two, among: WorkspaceRules.countMax) == .count,
            "the operator's own count, too")
    }

    @Test func `the networks around an address of IPv6 have few more, and those around one of IPv4 are others`() {
        let rules = RegistrationRules()
        func register(_ count: Int, _ address: (Int) -> String) -> (made: [Registration], refusal: RegistrationRules.Refusal?) {
            var made: [Registration] = []
            for number in 0..<count {
                let from = address(number)
                if let refusal = rules.refusal(of: from, beside: made, among: made.count) { return (made, refusal) }
                made.append(registration("w\(number)", from: from))
            }
            return (made, nil)
        }
        func hexadecimal(_ number: Int) -> String { String(number, radix: 16) }
        let ofSmall = register(30) { "2001:db8:1:\(hexadecimal($0))::" }
        #expect(ofSmall.made.count == 10 && ofSmall.refusal == .perNetwork("2001:db8:1::/56"))
        let ofLarge = register(30) { "2001:db8:1:\(hexadecimal($0 << 8))::" }
        #expect(ofLarge.made.count == 20 && ofLarge.refusal == .perNetwork("2001:db8:1::/48"))
        #expect(rules.refusal(of: "2001:db8:2::", beside: ofLarge.made, among: 20) == nil)
        #expect(rules.refusal(of: "192.0.2.1", beside: ofLarge.made, among: 20) == nil)
        #expect(register(30) { "192.0.2.\($0)" }.refusal == nil)
        #expect(ofLarge.refusal?.sentence.hasPrefix("2001:db8:1::/48 has as many") == true)
    }

    @Test func `one into which nobody came goes with its codes, and one that nobody uses after its term`() {
        let rules = RegistrationRules()
        let registered = ["never", "idle", "used", "made", "revoked"].map { registration($0) }
        let now = 40 * Self.day
        let tokens = [
            token("idle", createdAt: 1, usedAt: 9 * Self.day), token("idle", createdAt: 2 * Self.day),
            token("used", createdAt: 1, usedAt: 11 * Self.day), token("made", createdAt: 39 * Self.day),
            token("revoked", createdAt: 1, usedAt: 39 * Self.day, isRevoked: true),
            token("operators-own", createdAt: 1),
        ]
        func idle(_ now: Int64) -> [String] { rules.idle(registered, tokens: tokens, at: now).map(\.rawValue) }
        #expect(idle(Self.day) == [])
        #expect(idle(Self.day + 1) == ["never"], "its codes are too old by then")
        #expect(idle(now) == ["never", "idle"])
        #expect(idle(now + 365 * Self.day) == registered.map(\.workspace.rawValue))
    }
}
