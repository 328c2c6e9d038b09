import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct SignedLetterTests {
    private let vectors = Vectors.all

    /// A vector's letter as it travels.
    private func travelling(_ name: String) throws -> [UInt8] {
        func part(_ bytes: [UInt8]) -> [UInt8] { [0, 0, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes }
        return try [1] + part(vectors.bytes("pair.\(name)")) + part(vectors.bytes("pair.\(name)Tag"))
            + part(vectors.bytes("pair.\(name)Signature"))
    }

    private func pairKey() throws -> [UInt8] {
        let secret = try #require(TrustSecret(text: vectors.text("link.k")))
        return secret.pairKey(with: try vectors.fixed("hostID"), crypto)
    }

    @Test func `the vectors' join and admit are read, authentic and written again`() throws {
        #expect(try pairKey() == vectors.bytes("pair.key"))
        let join = try SignedLetter(parsing: travelling("join"))
        guard case .join(let asked) = join.letter else { throw ConsentError(.badDomain, at: "join", "another letter") }
        #expect(try asked.host.text == vectors.text("hostID") && asked.name == vectors.text("pair.name"))
        #expect(try join.isTagged(with: pairKey(), crypto) && join.isSigned(by: asked.sign, crypto))
        #expect(try join.bytes == travelling("join") && join.letter.body == vectors.bytes("pair.join"))
        let admit = try SignedLetter(parsing: travelling("admit"))
        guard case .admit(let given) = admit.letter else { throw ConsentError(.badDomain, at: "admit", "another letter") }
        #expect(given.join == crypto.hash(join.body))
        #expect(given.name == (try vectors.text("pair.hostName")))
        #expect(try admit.isTagged(with: pairKey(), crypto) && admit.isSigned(by: given.sign, crypto))
        #expect(try admit.bytes == travelling("admit") && admit.letter.body == vectors.bytes("pair.admit"))
    }

    @Test(arguments: ["join", "admit"])
    func `no letter with a changed byte is authentic`(name: String) throws {
        let bytes = try travelling(name)
        let (key, host, device) = (
            try pairKey(), try ConsentIdentity.vector("host"), try ConsentIdentity.vector("device")
        )
        for index in bytes.indices {
            for bits: UInt8 in [1, 0x80] {
                guard let letter = try? SignedLetter(parsing: bytes.changed(at: index, by: bits)) else { continue }
                let isSigned = letter.isSigned(by: name == "join" ? device.sign : host.sign, crypto)
                #expect(!letter.isTagged(with: key, crypto) || !isSigned, "byte \(index)")
            }
        }
        for index in key.indices {
            let letter = try SignedLetter(parsing: bytes)
            #expect(!letter.isTagged(with: key.changed(at: index), crypto), "byte \(index) of the key")
        }
    }

    @Test func `every changed character of the link's secret is refused or makes another key`() throws {
        let (text, host, key) = (try vectors.text("link.k"), try vectors.fixed("hostID", KeyID.self), try pairKey())
        for index in text.indices {
            let changed = text.replacingCharacters(at: index, with: text[index] == "A" ? "B" : "A")
            guard let secret = TrustSecret(text: changed) else { continue }
            #expect(!secret.isFor(host) || secret.pairKey(with: host, crypto) != key, "\(changed)")
        }
    }

    /// A letter of each kind.
    static let letters: [LetterContent] = {
        let (host, device) = (ConsentIdentity.new(), ConsentIdentity.new())
        return [
            .join(Join(host: host.id, sign: device.sign, box: device.box, name: "Ada’s ☎", nonce: .random())),
            .admit(Admit(join: .random(), sign: host.sign, box: host.box, nonce: .random(), name: "Ada’s laptop")),
            .introduction(
                Introduction(
                    join: .random(), sign: device.sign,
                    host: HostPin(sign: host.sign, box: host.box, name: "Ada’s laptop", since: 1, crypto), hosts: 3)),
            .vouch(Vouch(host: host.id, sign: device.sign, box: device.box, name: "x", count: 7, device: device.id)),
            .distrust(Distrust(host: host.id, distrusted: device.id, count: JSONValue.integerMax, device: device.id)),
            .bump(Bump(host: host.id, generation: .random(), count: 0, device: device.id)),
            .ask(Ask(host: host.id, nonce: .random(), device: device.id)),
            .roll(
                Roll(
                    of: .trusting(device, .new(), may: [.allow]), sign: host.sign, letter: .random())),
            .receipt(Receipt(sign: host.sign, letter: .random())),
            .refusal(Refusal(sign: host.sign, letter: .random(), reason: .unknownSecret, generation: .random())),
        ]
    }()

    private func signed(_ letter: LetterContent) -> SignedLetter {
        let hasTag =
            switch letter {
            case .join, .admit, .introduction: true
            default: false
            }
        return SignedLetter(letter, by: .new(), pairKey: hasTag ? [1, 2, 3] : nil, crypto)
    }

    @Test(arguments: letters)
    func `every letter is read as it was written`(letter: LetterContent) throws {
        let written = signed(letter)
        let read = try SignedLetter(parsing: written.bytes)
        #expect(read == written && read.letter == letter && read.bytes == written.bytes)
        #expect(written.bytes.count <= SignedLetter.bytesMax)
    }

    @Test(arguments: letters)
    func `a letter that ends early, goes on, or is another version is refused`(letter: LetterContent) {
        let bytes = signed(letter).bytes
        for count in 0..<bytes.count {
            #expect(throws: ConsentError.self, "the first \(count) bytes") {
                try SignedLetter(parsing: Array(bytes.prefix(count)))
            }
        }
        #expect(throws: ConsentError.self) { try SignedLetter(parsing: bytes + [0]) }
        #expect(throws: ConsentError.self) { try SignedLetter(parsing: [2] + bytes.dropFirst()) }
        #expect(throws: ConsentError.self) { try SignedLetter(parsing: bytes + [UInt8](repeating: 0, count: 4_096)) }
    }

    @Test(arguments: ["", "two\nlines", "bell\u{7}", "next\u{85}", "line\u{2028}", String(repeating: "x", count: 257)])
    func `a name that is not one short line is refused, with the place`(name: String) throws {
        let device = ConsentIdentity.new()
        let letter = signed(
            .vouch(Vouch(host: device.id, sign: device.sign, box: device.box, name: name, count: 1, device: device.id)))
        let error = #expect(throws: ConsentError.self) { try SignedLetter(parsing: letter.bytes) }
        #expect(error?.path == "vouch.name")
    }
}

extension String {
    fileprivate func replacingCharacters(at index: Index, with character: Character) -> String {
        var text = self
        text.replaceSubrange(index...index, with: [character])
        return text
    }
}
