import ChannelAPNs
import HeliographCrypto
import PushPlanner
import RelayProtocol

/// Reason why an intent cannot become a request: a sentence for the operator.
struct PushObstacleError: Error, Equatable {
    let sentence: String
}

/// Values that an intent needs in order to be sent.
struct PushMaterial {
    let team: String
    let epoch: Epoch
    let codes: PushCodes
    /// Milliseconds since 1970.
    let now: Int64
}

extension PushIntent {
    func request(with material: PushMaterial) throws(PushObstacleError) -> APNsRequest {
        guard worthUntil > material.now else { throw PushObstacleError(sentence: "it was not worth sending any more") }
        return APNsRequest(
            self, teamID: material.team, id: Self.requestID(id, in: material.epoch),
            payload: try wholePayload(with: material.codes),
            at: material.now)
    }

    /// The payload with its code, and with the part that is encrypted for the device.
    func wholePayload(with codes: PushCodes) throws(PushObstacleError) -> [UInt8] {
        var (payload, sealed) = (payload, seal?.text)
        if code != nil {
            let code: String
            do { code = try codes.code(of: id) } catch {
                throw PushObstacleError(sentence: "there is no secret to make its code with: \(error)")
            }
            let (filled, filledSeal) = (
                codes.fill(payload, with: code), sealed.flatMap { codes.fill($0, with: code) }
            )
            guard filled != nil || filledSeal != nil else {
                throw PushObstacleError(sentence: "there is no place for its code in it")
            }
            payload = filled ?? payload
            sealed = filledSeal ?? sealed
        }
        guard let seal, let sealed else { return payload }
        guard let key = Crypto.bytes(base64: seal.key), key.count == AESGCM.keyBytes else {
            throw PushObstacleError(sentence: "the device's key is not 32 bytes in base64")
        }
        guard payload.last == UInt8(ascii: "}"), payload.count > 2 else {
            throw PushObstacleError(sentence: "its payload is not a JSON object with something in it")
        }
        let text = Crypto.base64(AESGCM.seal(sealed, with: key))
        return payload.dropLast() + Array(#","sealed":"\#(text)"}"#.utf8)
    }

    /// The `apns-id`, the same for every attempt, also after a restart: derived from the push's name, like a UUID of version 5, but
    /// with SHA-256.
    static func requestID(_ push: PushID, in epoch: Epoch) -> String {
        var bytes = Array(Crypto.sha256("\(epoch)/\(push.rawValue)").prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(Crypto.hex(bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }
}
