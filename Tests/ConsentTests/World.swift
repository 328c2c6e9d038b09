import Consent
import ConsentKeys
import HeliographCrypto
import RelayProtocol
import Testing

let crypto = ConsentCrypto.openSSL

extension ConsentIdentity {
    /// The host or the device of the vectors.
    static func vector(_ name: String) throws -> ConsentIdentity {
        let key = try ES256PrivateKey(scalar: Vectors.all.bytes("keys.\(name)Sign.private"))
        let box = try P256AgreementKey(scalar: Vectors.all.bytes("keys.\(name)Box.private"))
        return ConsentIdentity(
            sign: try Vectors.all.fixed("keys.\(name)Sign.public"), box: try Vectors.all.fixed("keys.\(name)Box.public"), crypto
        ) {
            key.signature(of: $0)
        } agreement: {
            try? box.secret(with: $0.bytes)
        }
    }

    /// New keys: making some takes a tenth of a millisecond.
    static func new() -> ConsentIdentity { PrivateKeys().identity }
}

extension Identifier {
    static func named(_ name: String) -> Identifier { Identifier(name)! }
}

extension PinBook {
    static func empty() -> PinBook { PinBook(generation: .random()) }

    static func trusting(_ devices: ConsentIdentity..., may: Set<PinRight> = Set(PinRight.allCases)) -> PinBook {
        var pins = empty()
        for device in devices { try! pins.trust(.of(device, may: may)) }
        return pins
    }
}

extension Pin {
    static func of(
        _ device: ConsentIdentity, name: String = "Ada's phone", by: Pin.Origin = .terminal,
        may: Set<PinRight> = Set(PinRight.allCases)
    ) -> Pin {
        Pin(sign: device.sign, box: device.box, name: name, since: 1, by: by, may: may, crypto)
    }
}

extension Array<UInt8> {
    /// The same bytes with one changed.
    func changed(at index: Int, by bits: UInt8 = 1) -> [UInt8] {
        var bytes = self
        bytes[index] ^= bits
        return bytes
    }
}
