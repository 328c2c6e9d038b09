public import Foundation

/// One request to the relay, and the meaning of its answers.
public struct RelayRequest: Hashable, Sendable {
    public enum Method: String, Sendable { case put = "PUT", post = "POST", delete = "DELETE" }

    public var method: Method
    /// Path below the relay's address, beginning with `/`.
    public var path: String
    /// JSON; empty for a request without a body.
    public var body: Data

    public init(_ report: RelayReport, of device: String) throws(LiveActivityError) {
        guard DeepLink.isIdentifier(device) else {
            throw LiveActivityError(.refused, "a device's name is 1 to 64 of A-Z a-z 0-9 _ -")
        }
        switch report {
        case .device(let registration): (method, path, body) = (.put, "/v1/devices/\(device)", try Self.json(registration))
        case .card(let card): (method, path, body) = (.post, "/v1/devices/\(device)/cards", try Self.json(card))
        case .forget: (method, path, body) = (.delete, "/v1/devices/\(device)", Data())
        }
    }

    /// The code came in a push, so its characters are checked before it becomes part of an address.
    public init(_ verdict: Verdict, code: String, signature: String? = nil) throws(LiveActivityError) {
        let isSpelled = code.utf8.allSatisfy { byte in
            byte == UInt8(ascii: ".") || DeepLink.isIdentifier(String(UnicodeScalar(byte)))
        }
        guard isSpelled, (3...256).contains(code.utf8.count), !code.contains("..") else {
            throw LiveActivityError(.badCode, "this code cannot be one of the relay's")
        }
        (method, path, body) = (.post, "/v1/decisions/\(code)", try Self.json(Signed(verdict: verdict, signature: signature)))
    }

    private struct Signed: Encodable {
        private enum Key: CodingKey { case signature }
        let verdict: Verdict
        let signature: String?

        func encode(to encoder: any Encoder) throws {
            try verdict.encode(to: encoder)
            var fields = encoder.container(keyedBy: Key.self)
            try fields.encodeIfPresent(signature, forKey: .signature)
        }
    }

    init(redeeming link: PairingLink, name: String) throws(LiveActivityError) {
        let body = ["code": link.code, "name": name, "kind": "app"]
        (method, path, self.body) = (.post, "/v1/pair", try Self.json(body))
    }

    /// Throws if an answer with this status refuses a report. `text` is the body.
    static func check(status: Int, _ text: Data) throws(LiveActivityError) {
        if (200..<300).contains(status) { return }
        throw fault(status: status, text)
    }

    /// The reply to a decision, whatever the status, if the body states the approval's state.
    static func reply(status: Int, _ text: Data) throws(LiveActivityError) -> DecisionReply {
        guard status != 401, status != 403, status != 429, status < 500 else { throw fault(status: status, text) }
        do { return try JSONDecoder().decode(DecisionReply.self, from: text) } catch {
            guard (200..<300).contains(status) else { throw fault(status: status, text) }
            throw LiveActivityError(.badAnswer, "the relay did not say what became of the decision")
        }
    }

    /// The relay's reason for a refusal; a proxy in between sends other bodies.
    private struct Said: Decodable {
        struct Notice: Decodable { var message: String }
        var message: String?
        var error: Notice?
        var sentence: String? { error?.message ?? message }
    }

    private static func fault(status: Int, _ text: Data) -> LiveActivityError {
        let message = (try? JSONDecoder().decode(Said.self, from: text))?.sentence ?? "the relay answered with status \(status)"
        return switch status {
        case 401, 403: LiveActivityError(.unauthorised, message)
        case 404, 410: LiveActivityError(.notFound, message)
        // 501: this relay never supports the request.
        case 400..<408, 409..<425, 426..<429, 430..<500, 501: LiveActivityError(.refused, message)
        case 408, 425, 429, 500...: LiveActivityError(.busy, message)
        default: LiveActivityError(.badAnswer, "a relay does not answer with status \(status)")
        }
    }

    private static func json(_ value: some Encodable) throws(LiveActivityError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return try encoder.encode(value) } catch {
            throw LiveActivityError(.refused, "this cannot be written as JSON: \(error)")
        }
    }
}
