import HeliographCrypto
import Foundation
import Glibc
import Logging
import PushPlanner
import RelayProtocol

/// The codes that let a notification decide: `<push>.<tag>`, where the tag proves that this relay has sent that push.
///
/// Codes are not stored: a reader of the log, or of the data file alone, cannot decide; a reader of a database with the data can.
/// The core ensures that a code works once, for one approval and for a limited time.
final class PushCodes {
    /// Length of a tag. With 128 bits, a thousand guesses a second will practically never find one.
    private static let tagBytes = 16
    static let secretBytes = 32
    /// Placeholder for the code in a push.
    private static let placeholder = Array(#""code":"CODE""#.utf8)

    private let path: String
    let epoch: Epoch
    private let logger: Logger
    private var secret: [UInt8]?

    /// `secret`: the one that all relays on a database share; nil: it is a file in the directory.
    init(directory: String, secret: [UInt8]? = nil, epoch: Epoch, logger: Logger) {
        path = Self.path(in: directory)
        self.secret = secret
        self.epoch = epoch
        self.logger = logger
    }

    /// The code for a push. Throws if the secret can be neither read nor created.
    func code(of push: PushID) throws -> String { "\(push.rawValue).\(Crypto.base64URL(try tag(of: push)))" }

    /// The push with this code; nil if the code is wrong. Takes the same time for all wrong codes.
    func push(ofCode code: String) throws -> PushID? {
        let parts = Self.parts(of: code)
        let isRight = Crypto.equal(try tag(of: parts?.push ?? PushID(rawValue: 0)), parts?.tag ?? [])
        return isRight ? parts?.push : nil
    }

    /// The number of the workspace in this code, with which a node finds the owner; 0: a planner of all workspaces has numbered the
    /// push. Nil if the text is not a code; only the owner can check whether it is right.
    static func workspace(ofCode code: String) -> Int64? { parts(of: code).map { PushNumbers(of: $0.push).workspace } }

    private static func parts(of code: String) -> (push: PushID, tag: [UInt8])? {
        let parts = code.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let push = PushID(text: parts[0]), let tag = Crypto.bytes(base64URL: String(parts[1])),
            tag.count == tagBytes
        else {
            return nil
        }
        return (push, tag)
    }

    /// Replaces every placeholder by the code; nil if there is none.
    func fill(_ json: [UInt8], with code: String) -> [UInt8]? {
        var filled: [UInt8] = []
        var rest = json[...]
        // No text can contain this, as its quotes would be escaped.
        while let place = rest.firstRange(of: Self.placeholder) {
            filled += rest[..<place.lowerBound]
            filled += Array(#""code":"\#(code)""#.utf8)
            rest = rest[place.upperBound...]
        }
        return filled.isEmpty ? nil : filled + rest
    }

    private static func path(in directory: String) -> String { "\(directory)/push-secret" }

    /// The secret in a directory; nil if there is none, or it is invalid.
    static func kept(in directory: String) -> [UInt8]? { kept(atPath: path(in: directory)) }

    /// Replaces the secret: codes made with the old one become invalid.
    static func put(_ secret: [UInt8], in directory: String) throws {
        if kept(in: directory) != secret { try PrivateFile.write(secret, to: path(in: directory)) }
    }

    private static func kept(atPath path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map { Array($0) }.flatMap { $0.count == secretBytes ? $0 : nil }
    }

    private func tag(of push: PushID) throws -> [UInt8] {
        let message = Array("code/\(epoch)/\(push.rawValue)".utf8)
        return Array(Crypto.authenticationCode(of: message, with: try secretOfDirectory()).prefix(Self.tagBytes))
    }

    /// The secret, created on first use.
    private func secretOfDirectory() throws -> [UInt8] {
        if let secret { return secret }
        if let kept = Self.kept(atPath: path) {
            secret = kept
            return kept
        }
        if FileManager.default.fileExists(atPath: path) {
            logger.error("the secret of push codes was damaged; codes that are on their way decide nothing any more")
        }
        let made = Crypto.random(count: Self.secretBytes)
        try PrivateFile.write(made, to: path)
        secret = made
        return made
    }
}
