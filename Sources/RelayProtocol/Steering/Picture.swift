/// A picture in a prompt. The wire refers to it by digest; its bytes are transferred by HTTP, outside the log.
package struct Picture: Sendable, Hashable {
    package var digest: PictureDigest
    package var type: PictureType
    package var bytes: Int
    /// The picture's bytes in base64, from their download by the host until their delivery to the agent. The relay neither writes
    /// nor reads this.
    package var content: String?

    package init(digest: PictureDigest, type: PictureType, bytes: Int, content: String? = nil) {
        self.digest = digest
        self.type = type
        self.bytes = bytes
        self.content = content
    }

    package init(from value: JSONValue) throws(WireError) {
        let digest = try value.object().required("digest")
        guard let known = PictureDigest(try digest.string()) else {
            throw WireError(.badValue, at: digest.path, "a digest has 64 lowercase hexadecimal digits")
        }
        self.digest = known
        type = try value.word("type")
        bytes = Int(try value.integer("bytes", in: 1...Int64(WireLimits.pictureBytesMax)))
    }

    /// The response of `POST /v1/pictures`, and the form in which a prompt refers to a picture.
    package var named: [UInt8] {
        JSONWriter.object {
            $0.field("digest", digest.rawValue)
            $0.field("type", type.rawValue)
            $0.field("bytes", Int64(bytes))
            $0.field("content", content)
        }
    }
}

/// SHA-256 of a picture's bytes, as 64 lowercase hexadecimal digits.
package struct PictureDigest: Hashable, Sendable {
    package let rawValue: String

    package init?(_ rawValue: String) {
        guard InputDigest(rawValue) != nil else { return nil }
        self.rawValue = rawValue
    }
}

/// A picture's type, derived from its first bytes: the type that its sender claims is not trusted.
package enum PictureType: String, Sendable, CaseIterable {
    /// A sealed picture: only the host and its devices know its type.
    case sealed = "application/x-heliograph-sealed"
    case png = "image/png"
    case jpeg = "image/jpeg"
    case webp = "image/webp"

    /// First byte of a sealed picture.
    package static let sealedMark: UInt8 = 4

    /// Nil if the bytes are of no type that agents accept.
    package init?(of bytes: [UInt8]) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else {
            return nil
        }
    }

    /// The file name extension.
    package var ending: String {
        switch self {
        case .png: "png"
        case .jpeg: "jpg"
        case .webp: "webp"
        case .sealed: "sealed"
        }
    }
}

extension JSONValue {
    /// Empty if there is no such field.
    func pictures(_ key: StaticString) throws(WireError) -> [Picture] {
        guard optional(key) != nil else { return [] }
        var pictures: [Picture] = []
        for entry in try array(key, countMax: WireLimits.picturesMax) { pictures.append(try Picture(from: entry)) }
        return pictures
    }
}
