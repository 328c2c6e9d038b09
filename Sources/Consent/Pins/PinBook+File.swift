package import RelayProtocol

/// `devices.json`:
/// ```
/// {"version":1,"generation":G,"next":G?,"restored"?,
///  "devices":[{"id","sign","box","name","since","by":"terminal"|id,"may":["allow",…],"count","suspended"?,
///              "passkeys"?:[{"sign","origin","since"}],"askedPasskey"?}],
///  "distrusted":[{"id","sign"?,"since"?,"count","passkeys"?}],"used":[{"secret","join"}]}
/// ```
/// Bytes are base64url; the rest as `Pin` says.
extension PinBook {
    /// Size of a file with everything that `PinBook` may hold, and names of the greatest length.
    package static let fileBytesMax = 2 << 20
    private static let version: Int64 = 1

    /// The error names the place of the fault. A host that cannot read the file trusts no device.
    package init(parsing bytes: [UInt8], _ crypto: ConsentCrypto) throws(ConsentError) {
        let file = try JSONValue.file(bytes, bytesMax: Self.fileBytesMax, version: Self.version)
        do throws(WireError) { try self.init(from: file, crypto) } catch { throw ConsentError(error) }
    }

    private init(from file: JSONValue, _ crypto: ConsentCrypto) throws(WireError) {
        var devices: [Pin] = []
        for entry in try file.array("devices", countMax: Self.devicesMax) {
            let pin = try Pin(from: entry.object(), crypto)
            if devices.contains(where: { $0.id == pin.id }) {
                throw WireError(.badValue, at: entry.path, "the device is there twice")
            }
            devices.append(pin)
        }
        var former: [Former] = []
        for entry in try file.array("distrusted", countMax: Self.keysMax - devices.count) {
            let key = Former(
                id: try entry.object().fixed("id"), sign: try entry.fixedIfAny("sign"),
                since: try entry.optionalInteger("since"),
                count: try entry.integer("count"), passkeys: try Passkey.list(from: entry))
            guard key.sign.map({ KeyID(of: $0, crypto) == key.id }) != false else {
                throw WireError(.badValue, at: entry.path + ".id", "this is not the id of its signing point")
            }
            guard !devices.contains(where: { $0.id == key.id }), !former.contains(where: { $0.id == key.id }) else {
                throw WireError(.badValue, at: entry.path, "the key is there twice")
            }
            former.append(key)
        }
        var used: [UsedSecret] = []
        for entry in try file.array("used", countMax: Self.usedSecretsMax) {
            used.append(UsedSecret(name: try entry.object().fixed("secret"), join: try entry.fixed("join")))
        }
        self.init(
            generation: try file.fixed("generation"), next: try file.fixedIfAny("next"),
            isRestored: try file.flag("restored"), devices: devices, former: former, usedSecrets: used)
    }

    package var bytes: [UInt8] {
        JSONWriter.object { file in
            file.field("version", Self.version)
            file.field("generation", generation.text)
            file.field("next", nextGeneration?.text)
            file.flag("restored", isRestored)
            file.array("devices", devices.map(\.json))
            file.array(
                "distrusted",
                former.map { key in
                    JSONWriter.object {
                        $0.field("id", key.id.text)
                        $0.field("sign", key.sign?.text)
                        $0.field("since", key.since)
                        $0.field("count", key.count)
                        $0.passkeys(key.passkeys)
                    }
                })
            file.array(
                "used",
                usedSecrets.map { used in
                    JSONWriter.object {
                        $0.field("secret", used.name.text)
                        $0.field("join", used.join.text)
                    }
                })
        }
    }
}

extension Pin {
    fileprivate static let terminal = "terminal"

    fileprivate init(from value: JSONValue, _ crypto: ConsentCrypto) throws(WireError) {
        let name = try value.consentName("name")
        let origin = try value.required("by")
        let by: Origin = try origin.string() == Self.terminal ? .terminal : .device(origin.fixed())
        var may: Set<PinRight> = []
        for right in try value.array("may", countMax: PinRight.allCases.count) { may.insert(try right.word()) }
        self.init(
            sign: try value.fixed("sign"), box: try value.fixed("box"), name: name, since: try value.integer("since"), by: by,
            may: may, crypto)
        count = try value.integer("count")
        isSuspended = try value.flag("suspended")
        passkeys = try Passkey.list(from: value)
        if let asked = value.optional("askedPasskey") { askedPasskey = try Passkey(from: asked.object()) }
        guard try value.fixed("id") == id else {
            throw WireError(.badValue, at: value.path + ".id", "this is not the id of its signing point")
        }
    }

    /// An entry of the file, and of an export of public points.
    package var json: [UInt8] {
        JSONWriter.object {
            $0.field("id", id.text)
            $0.field("sign", sign.text)
            $0.field("box", box.text)
            $0.field("name", name)
            $0.field("since", since)
            if case .device(let voucher) = by { $0.field("by", voucher.text) } else { $0.field("by", Self.terminal) }
            $0.strings("may", PinRight.allCases.filter(may.contains).map(\.rawValue))
            $0.field("count", count)
            $0.flag("suspended", isSuspended)
            $0.passkeys(passkeys)
            if let askedPasskey { $0.raw("askedPasskey", askedPasskey.json) }
        }
    }
}

extension Passkey {
    package static func list(from value: JSONValue) throws(WireError) -> [Passkey] {
        guard value.optional("passkeys") != nil else { return [] }
        var list: [Passkey] = []
        for entry in try value.array("passkeys", countMax: PinBook.passkeysMax) {
            list.append(try Passkey(from: entry.object()))
        }
        return list
    }

    fileprivate init(from value: JSONValue) throws(WireError) {
        let origin = try value.required("origin")
        guard let place = PasskeyOrigin(try origin.string()) else {
            throw WireError(.badValue, at: origin.path, "an origin is a name over TLS, or localhost")
        }
        self.init(sign: try value.fixed("sign"), origin: place, since: try value.integer("since"))
    }

    fileprivate var json: [UInt8] {
        JSONWriter.object {
            $0.field("sign", sign.text)
            $0.field("origin", origin.text)
            $0.field("since", since)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func passkeys(_ passkeys: [Passkey]) {
        if !passkeys.isEmpty { array("passkeys", passkeys.map(\.json)) }
    }
}
