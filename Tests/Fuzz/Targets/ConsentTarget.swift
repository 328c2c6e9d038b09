import Consent
import ConsentKeys
import RelayProtocol

/// Letters, signatures, secrets, shown texts, consent files, and sealed content.
///
/// Accepted input is spelled again exactly as it came, so that no two texts mean the same; and no message of a stranger changes
/// whom a host trusts.
enum ConsentTarget {
    static func run(_ input: [UInt8]) {
        guard let kind = input.first else { return }
        let rest = Array(input.dropFirst())
        let text = String(decoding: rest, as: UTF8.self)
        switch kind {
        case UInt8(ascii: "L"): checkLetter(rest)
        case UInt8(ascii: "S"):
            guard let signature = try? SignatureText(parsing: text) else { return }
            require(Array(signature.text.utf8) == rest, "a signature is spelled in two ways")
            require(rest.count <= SignatureText.bytesMax, "a signature beyond its limit")
        case UInt8(ascii: "K"):
            guard let secret = TrustSecret(text: text) else { return }
            require(Array(secret.text.utf8) == rest, "a secret is spelled in two ways")
        case UInt8(ascii: "P"):
            guard let pins = try? PinBook(parsing: rest, .openSSL) else { return }
            require((try? PinBook(parsing: pins.bytes, .openSSL)) == pins, "pins are others when they are read again")
            require(pins.bytes.count <= PinBook.fileBytesMax, "a book that cannot be read again")
        case UInt8(ascii: "H"):
            guard let hosts = try? HostBook(parsing: rest, .openSSL) else { return }
            require((try? HostBook(parsing: hosts.bytes, .openSSL)) == hosts, "hosts are others when they are read again")
        case UInt8(ascii: "E"):
            guard let epochs = try? EpochBook(parsing: rest) else { return }
            require((try? EpochBook(parsing: epochs.bytes)) == epochs, "epochs are others when they are read again")
            require(epochs.bytes.count <= EpochBook.fileBytesMax, "a book that cannot be read again")
        case UInt8(ascii: "B"): checkSealed(text, rest)
        default: checkShown(text, rest)
        }
    }

    private static func checkLetter(_ bytes: [UInt8]) {
        let letter = try? SignedLetter(parsing: bytes)
        if let letter {
            require(letter.bytes == bytes, "a letter is spelled in two ways")
            require(letter.letter.body == letter.body, "a letter says other than what is signed")
            require(bytes.count <= SignedLetter.bytesMax, "a letter beyond its limit")
        }
        var (pins, desk) = (host.pins, host.desk)
        let outcome = desk.received(bytes, at: 0, wall: 0, nonce: host.nonce, pins: &pins)
        require(pins == host.pins && !outcome.hasChangedPins, "a stranger's letter changes whom a host trusts")
        if letter == nil { require(outcome.reply == nil, "what is no letter is answered") }
        var vouching = host.vouching
        guard case .ignored = vouching.received(bytes) else { fatalError("finding: a stranger is let in by a device") }
        if let reply = outcome.reply { require((try? SignedLetter(parsing: reply)) != nil, "a reply that nobody can read") }
    }

    private static func checkSealed(_ text: String, _ bytes: [UInt8]) {
        for purpose in [SealedPurpose.event(kind: "message"), .line, .live(of: "m1"), .words(with: "c1")] {
            guard let sealed = try? Sealed(text: text, as: purpose.form) else { continue }
            require(Array(sealed.text.utf8) == bytes, "something sealed is spelled in two ways")
            require(
                (try? Sealed(parsing: sealed.bytes, as: purpose.form)) == sealed, "bytes mean something else than their text")
            require((try? host.sealing.open(sealed, as: purpose)) == nil, "what no host has sealed opens")
        }
        if let line = try? SessionLine(parsing: bytes) {
            require((try? SessionLine(parsing: line.bytes)) == line, "a line is another when it is read again")
        }
    }

    private static func checkShown(_ text: String, _ bytes: [UInt8]) {
        guard let shown = try? ShownText(parsing: text) else { return }
        require((try? JSONDocument(parsing: bytes)) != nil, "a text is read that is no JSON")
        guard case .approvalRequested(let request) = shown.event.head else { fatalError("finding: another event is shown") }
        require(request == shown.request, "two requests in one text")
    }

    /// A host that shows a secret and trusts a device, which shows one, too; inputs do not know these secrets.
    private static let host: (desk: TrustDesk, pins: PinBook, nonce: Nonce, vouching: Vouching, sealing: SessionSeal) = {
        let (keys, device) = (PrivateKeys().identity, PrivateKeys().identity)
        var desk = TrustDesk(keys, .openSSL)
        var pins = PinBook(generation: .random())
        do throws(ConsentError) {
            try desk.show(TrustSecret(.machine, secret: .random()), until: .max)
            try pins.trust(
                Pin(
                    sign: device.sign, box: device.box, name: "phone", since: 0, by: .terminal, may: Set(PinRight.allCases),
                    .openSSL))
        } catch { preconditionFailure("a new host has room: \(error)") }
        let secret = TrustSecret(.device(device.id, ClientID("phone")!), secret: .random())
        let sealing = SessionSeal(of: SessionID("s1")!, host: keys.id, .random(), epoch: 1, .openSSL)
        return (desk, pins, .random(), Vouching(secret, by: device, .openSSL), sealing)
    }()
}
