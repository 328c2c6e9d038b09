/// A client's request to a terminal that a host holds. It is forwarded and answered, and never stored.
package struct ScreenCall: Sendable, Equatable {
    package enum Wish: Sendable, Equatable {
        /// Asks for the screen, once it differs from the drawing of this name; nil: at once.
        case look(after: String?)
        /// As a keyboard sends them; `seen` is the drawing at which they were pressed.
        case type([UInt8], seen: String? = nil)
    }

    package var command: CommandID
    package var session: SessionID
    package var by: Named<ClientTag>
    package var wish: Wish
    /// The device's signature over typed keys. The relay carries it, and does not read it.
    package var signature: String?

    package init(
        command: CommandID, session: SessionID, by: Named<ClientTag>, wish: Wish, signature: String? = nil
    ) {
        self.command = command
        self.session = session
        self.by = by
        self.wish = wish
        self.signature = signature
    }

    package var name: SteeringName { SteeringName(client: by.id, command: command) }

    init(_ type: String, from value: JSONValue) throws(WireError) {
        let (wish, signature) = try Self.wish(type, from: value)
        self.init(
            command: try value.identifier("id"), session: try value.identifier("session"),
            by: try Named(from: value.required("by")), wish: wish, signature: signature)
    }

    static func wish(_ type: String, from value: JSONValue) throws(WireError) -> (Wish, signature: String?) {
        guard type == "keys" else {
            return (.look(after: try value.optionalString("after", bytesMax: WireLimits.nameBytesMax)), nil)
        }
        let text = try value.required("keys")
        let spelled = try text.string(bytesMax: Base64URL.textCount(of: WireLimits.keysBytesMax))
        guard let keys = Base64URL.bytes(spelled), (1...WireLimits.keysBytesMax).contains(keys.count) else {
            throw WireError(.badValue, at: text.path, "keys are at least one byte in base64url without padding")
        }
        let seen = try value.optionalString("seen", bytesMax: WireLimits.nameBytesMax)
        return (.type(keys, seen: seen), try value.optionalString("signature", bytesMax: WireLimits.signatureBytesMax))
    }
}

extension ScreenCall.Wish {
    var type: StaticString {
        switch self {
        case .look: "screen"
        case .type: "keys"
        }
    }

    package func write(to writer: inout JSONWriter) {
        switch self {
        case .look(let after): writer.field("after", after)
        case .type(let keys, let seen):
            writer.field("keys", Base64URL.text(keys))
            writer.field("seen", seen)
        }
    }
}

/// A host's answer to a `ScreenCall`.
package enum ScreenAnswer: Sendable, Equatable {
    /// The screen as JSON, carried unchanged.
    case screen([UInt8])
    /// The keys were written to the terminal.
    case typed
    case failed(Notice)

    package static func failed(_ code: ErrorCode, _ message: String) -> ScreenAnswer {
        .failed(Notice(code: code.rawValue, message: message))
    }

    package init(from value: JSONValue) throws(WireError) {
        if let error = value.optional("error") {
            self = .failed(try Notice(from: error))
        } else if let screen = value.optional("screen") {
            let bytes = Array(try screen.object().bytes)
            guard bytes.count <= WireLimits.sealedScreenBytesMax else {
                throw WireError(.outOfRange, at: screen.path, "longer than \(WireLimits.sealedScreenBytesMax) bytes")
            }
            self = .screen(bytes)
        } else {
            self = .typed
        }
    }

    package func write(to writer: inout JSONWriter) {
        switch self {
        case .screen(let screen): writer.raw("screen", screen)
        case .typed: break
        case .failed(let notice): writer.object("error") { notice.write(to: &$0) }
        }
    }

    /// The reply, as the client gets it.
    package var reply: Reply {
        switch self {
        case .screen(let screen): .screen(screen)
        case .typed: .done
        case .failed(let notice): .failed(notice, winner: nil)
        }
    }
}
