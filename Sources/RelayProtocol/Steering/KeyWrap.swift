/// A host's key of one epoch, wrapped for one device. The relay carries it and cannot open it.
package struct KeyWrap: Sendable, Equatable {
    static let epochRange: ClosedRange<Int64> = 1...Int64(UInt32.max)
    /// 60 bytes in base64url: a nonce, the key and its tag.
    static let pattern = "^[A-Za-z0-9_-]{80}$"
    static let example = String(repeating: "wrap", count: 20)

    package let epoch: Int64
    /// The device's keys, identified in the same form as a host's.
    package let device: HostKeyID
    package let wrap: String

    /// Nil if the epoch is invalid, or the wrap has the wrong length.
    package init?(epoch: Int64, device: HostKeyID, wrap: String) {
        guard Self.epochRange.contains(epoch), wrap.utf8.count == 80, Base64URL.isSpelled(wrap) else { return nil }
        (self.epoch, self.device, self.wrap) = (epoch, device, wrap)
    }

    init(from value: JSONValue) throws(WireError) {
        epoch = try value.object().integer("epoch", in: Self.epochRange)
        device = try value.hostKeyID("device")
        let text = try value.required("wrap")
        wrap = try text.string()
        guard wrap.utf8.count == 80, Base64URL.isSpelled(wrap) else {
            throw WireError(.badValue, at: text.path, "a wrapped key is 60 bytes in base64url without padding")
        }
    }

    var bytes: [UInt8] {
        JSONWriter.object {
            $0.field("epoch", epoch)
            $0.field("device", device)
            $0.field("wrap", wrap)
        }
    }
}
