/// The answer to a valid pairing code.
package struct PairAnswer: Equatable, Sendable {
    package enum Secret: Equatable, Sendable {
        /// The token itself, for a program.
        case token(String)
        /// The key alone, for a page: its browser keeps the token in a cookie that no script can read.
        case key(String)
    }

    package var secret: Secret
    package var role: PairingRole
    package var name: String

    package init(secret: Secret, role: PairingRole, name: String) {
        self.secret = secret
        self.role = role
        self.name = name
    }

    package init(parsing bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        if let key = try value.optionalString("key", bytesMax: WireLimits.secretBytesMax) {
            secret = .key(key)
        } else {
            secret = .token(try value.string("token", bytesMax: WireLimits.secretBytesMax))
        }
        role = try value.word("role")
        name = try value.string("name", bytesMax: WireLimits.nameBytesMax)
    }

    package var bytes: [UInt8] {
        JSONWriter.object { writer in
            switch secret {
            case .token(let token): writer.field("token", token)
            case .key(let key): writer.field("key", key)
            }
            writer.field("role", role.rawValue)
            writer.field("name", name)
        }
    }
}
