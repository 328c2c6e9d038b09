import Consent
import RelayProtocol
import Testing

/// Against the vectors that the page's twin is checked with, too.
@Suite struct SealingTests {
    private let vectors = Vectors.sealing
    private let session: SessionID
    private let host: KeyID
    private let epoch: EpochNumber
    private let number: Int64
    private let epochKey: EpochKey

    init() throws {
        session = try #require(SessionID(vectors.text("session")))
        host = try vectors.fixed("hostID")
        epoch = EpochNumber(try vectors.number("epoch"))
        number = try vectors.number("number")
        epochKey = try vectors.fixed("epochKey")
    }

    private func key(session: String? = nil, host: KeyID? = nil, epoch: EpochNumber? = nil, _ secret: EpochKey? = nil)
        -> SessionSeal
    {
        SessionSeal(
            of: session.flatMap { SessionID($0) } ?? self.session, host: host ?? self.host, secret ?? epochKey,
            epoch: epoch ?? self.epoch, crypto)
    }

    /// Name in the file, purpose, and the bytes that are sealed.
    private func forms() throws -> [(name: String, purpose: SealedPurpose, number: Int64)] {
        [
            ("sealed", .event(kind: try vectors.text("sealed.kind")), number), ("line", .line, number),
            ("live", .live(of: try vectors.text("live.message")), 0),
            ("words", .words(with: try vectors.text("words.command")), 0),
        ]
    }

    private func spelled(_ name: String, _ purpose: SealedPurpose) throws -> String {
        try vectors.text(name + (purpose.form == .numbered ? ".bytes" : ".text"))
    }

    @Test func `host and device make the vectors' wrap, and open it`() throws {
        let (host, device) = (try ConsentIdentity.vector("host"), try ConsentIdentity.vector("device"))
        #expect(try host.agreement(device.box) == vectors.bytes("shared"))
        let atHost = try #require(WrapKey(of: host, with: device.id, box: device.box, crypto))
        let pin = HostPin(sign: host.sign, box: host.box, name: "laptop", since: 1, crypto)
        let atDevice = try #require(WrapKey(of: device, with: pin, crypto))
        let wrap = atHost.wrap(epochKey, of: epoch, nonce: try vectors.fixed("wrap.nonce"))
        #expect(try wrap == vectors.bytes("wrap.bytes"))
        #expect(try atDevice.open(wrap, of: epoch) == epochKey)
        for place in wrap.indices {
            #expect(throws: ConsentError.self, "byte \(place)") { try atDevice.open(wrap.changed(at: place), of: epoch) }
        }
        #expect(throws: ConsentError.self) { try atDevice.open(wrap, of: epoch + 1) }
        #expect(throws: ConsentError.self) { try atDevice.open(wrap + [0], of: epoch) }
        #expect(throws: ConsentError.self) { try atDevice.open([], of: epoch) }
        // Another device, then another host.
        let other = ConsentIdentity.new()
        let atOther = try #require(WrapKey(of: other, with: pin, crypto))
        #expect(throws: ConsentError.self) { try atOther.open(wrap, of: epoch) }
        let otherPin = HostPin(sign: other.sign, box: other.box, name: "laptop", since: 1, crypto)
        let withOther = try #require(WrapKey(of: device, with: otherPin, crypto))
        #expect(throws: ConsentError.self) { try withOther.open(wrap, of: epoch) }
        #expect(BoxPoint([4] + [UInt8](repeating: 0, count: 64)).map { host.agreement($0) == nil } == true)
    }

    @Test func `each form is sealed as in the vectors, and opens`() throws {
        for (name, purpose, number) in try forms() {
            let text = try vectors.text(name + ".plain")
            let plain = name == "live" ? LivePiece(at: 258, text).bytes : Array(text.utf8)
            let sealed = key().seal(plain, as: purpose, number: number, nonce: try vectors.fixed(name + ".nonce"))
            #expect(try sealed.text == spelled(name, purpose))
            let parsed = try Sealed(text: sealed.text, as: purpose.form)
            #expect(parsed == sealed && parsed.epoch == epoch && parsed.number == number)
            #expect(try key().open(parsed, as: purpose) == plain)
        }
        #expect(
            try AliasKey(of: host, epochKey, crypto).alias(of: "webshop")
                == vectors.value("alias.names").array()[0].string("alias"))
    }

    @Test func `what is altered in any byte opens nowhere`() throws {
        for (name, purpose, _) in try forms() {
            let bytes = try Sealed(text: spelled(name, purpose), as: purpose.form).bytes
            for place in bytes.indices {
                for bits: UInt8 in [1, 0x80] {
                    let altered = bytes.changed(at: place, by: bits)
                    #expect(throws: ConsentError.self, "\(name), byte \(place)") {
                        let sealed = try Sealed(parsing: altered, as: purpose.form)
                        // Whoever has the keys takes the one of the epoch that it names.
                        _ = try key(epoch: sealed.epoch).open(sealed, as: purpose)
                    }
                }
            }
            for altered in [Array(bytes.dropLast()), bytes + [0], [], [purpose.form.rawValue]] {
                #expect(throws: ConsentError.self) { try key().open(Sealed(parsing: altered, as: purpose.form), as: purpose) }
            }
        }
    }

    @Test func `what was sealed for one place opens in no other`() throws {
        let (otherHost, otherKey) = (ConsentIdentity.new().id, EpochKey(epochKey.bytes.changed(at: 0)))
        for (name, purpose, _) in try forms() {
            let sealed = try Sealed(text: spelled(name, purpose), as: purpose.form)
            let others: [(SealedPurpose, String)] = try forms().compactMap { $0.name == name ? nil : ($0.purpose, $0.name) }
            for (other, what) in others + [
                (.event(kind: "message"), "kind"), (.live(of: "m2"), "message"), (.words(with: "c2"), "command"),
            ] {
                #expect(throws: ConsentError.self, "\(name) as \(what)") { try key().open(sealed, as: other) }
            }
            for (key, what) in [
                (key(session: "s-another"), "session"), (key(host: otherHost), "host"), (key(epoch: epoch + 1), "epoch"),
                (key(otherKey), "key"),
            ] { #expect(throws: ConsentError.self, "\(name) in another \(what)") { try key.open(sealed, as: purpose) } }
        }
    }

    @Test func `a text has one spelling`() throws {
        let (event, words) = (try vectors.text("sealed.bytes"), try vectors.text("words.text"))
        for text in [event + "=", " " + event, event + "\n", "sealed." + event, String(event.dropLast()), ""] {
            #expect(throws: ConsentError.self) { try Sealed(text: text, as: .numbered) }
        }
        for text in [String(words.dropFirst(7)), "Sealed" + words.dropFirst(6), words + "=", "sealed.", "rm -rf /"] {
            #expect(throws: ConsentError.self) { try Sealed(text: text, as: .words) }
        }
        #expect(Sealed.isSealed(words) && !Sealed.isSealed("rm -rf /"))
        // No epoch and no number is 0, and no number is greater than clients can hold.
        var bytes = try Sealed(text: event, as: .numbered).bytes
        for place in 5..<13 { bytes[place] = 0 }
        let error = #expect(throws: ConsentError.self) { try Sealed(parsing: bytes, as: .numbered) }
        #expect(error?.path == "sealed.number")
        bytes[5] = 0xFF
        #expect(throws: ConsentError.self) { try Sealed(parsing: bytes, as: .numbered) }
        for place in 1..<5 { bytes[place] = 0 }
        #expect(throws: ConsentError.self) { try Sealed(parsing: bytes, as: .numbered) }
    }

    @Test func `a line is read as it was written, and no longer than lists have room for`() throws {
        var line = SessionLine()
        (line.title, line.operation, line.current, line.error) = ("Fix the login – grün", "Running grün.sh", "two", "it broke")
        (line.project, line.workingDirectory, line.folder, line.branch) = ("webshop", "~/webshop", "/home/ada/webshop", "main")
        (line.file, line.reason) = ("a.swift", "why")
        #expect(try SessionLine(parsing: line.bytes) == line)
        #expect(try SessionLine(parsing: Array(vectors.text("line.plain").utf8)).title == "Fix the login – grün")
        #expect(try SessionLine(parsing: Array("{}".utf8)) == SessionLine())
        for text in ["", "[]", #"{"title":1}"#, #"{"title":"\#(String(repeating: "x", count: 1_024))"}"#] {
            #expect(throws: ConsentError.self) { try SessionLine(parsing: Array(text.utf8)) }
        }
    }
}
