import HeliographCrypto
import Testing

@Suite struct SecretTests {
    @Test func `a token spells 256 random bits after its prefix`() {
        let token = Secret.token(prefix: "hgc_")
        #expect(token.hasPrefix("hgc_"))
        #expect(token.utf8.count == 4 + 43)
        #expect(Crypto.bytes(base64URL: String(token.dropFirst(4)))?.count == 32)
        #expect(token != Secret.token(prefix: "hgc_"))
        #expect(Secret.digest(ofToken: token) == Crypto.sha256(token))
    }

    @Test func `a pairing code is four groups of five that nobody mistakes`() {
        let letters = Set("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
        for _ in 0..<200 {
            let groups = Secret.pairingCode().split(separator: "-")
            #expect(groups.map(\.count) == [5, 5, 5, 5])
            #expect(groups.allSatisfy { $0.allSatisfy(letters.contains) })
        }
        #expect(Set((0..<200).map { _ in Secret.pairingCode() }).count == 200)
    }

    @Test func `a pairing code is the same however it is typed`() {
        let code = "7Q2MW-0VKXB-3NRCE-94TG1"
        let bare = "7Q2MW0VKXB3NRCE94TG1"
        let spellings = [
            code, bare, code.lowercased(), "7q2mw ovkxb 3nrce 94tgi", " 7Q2MW-OVKXB-3NRCE-94TGL ", "7-Q2MW0VKXB3NRCE94TGl",
        ]
        for typed in spellings {
            #expect(Secret.normalizePairingCode(typed) == bare)
            #expect(Secret.digest(ofPairingCode: typed) == Crypto.sha256(bare))
        }
        let made = Secret.pairingCode()
        #expect(Secret.normalizePairingCode(made) == made.filter { $0 != "-" })
    }

    @Test(arguments: [
        "", "7Q2MW", "7Q2MW-0VKXB-3NRCE-94TGU", "7Q2MW-0VKXB-3NRCE-94TGHH", "7Q2MW-0VKXB-3NRCE-94TG\u{e9}",
        "7Q2MW_0VKXB_3NRCE_94TGH", String(repeating: " ", count: 100) + "7Q2MW0VKXB3NRCE94TGH",
    ])
    func `what cannot be a pairing code has no digest`(typed: String) {
        #expect(Secret.normalizePairingCode(typed) == nil)
        #expect(Secret.digest(ofPairingCode: typed) == nil)
    }

    @Test func `an identifier is spelled as the wire wants it`() {
        let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789_-")
        for prefix in ["", "t_", String(repeating: "a", count: 44)] {
            let identifier = Secret.identifier(prefix: prefix)
            #expect(identifier.hasPrefix(prefix))
            #expect((20...64).contains(identifier.utf8.count))
            #expect(identifier.allSatisfy(allowed.contains))
        }
        #expect(Set((0..<1_000).map { _ in Secret.identifier(prefix: "s") }).count == 1_000)
    }
}
