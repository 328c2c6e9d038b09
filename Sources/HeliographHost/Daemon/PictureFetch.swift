internal import HeliographCrypto
internal import HostCore
internal import RelayAccess
internal import RelayProtocol

/// Fetches the pictures of one prompt from the relay, one after the other, with the host's own token. Blocks the calling thread.
struct PictureFetch: Sendable {
    /// Seconds for one picture: 768 KiB over a line of 1 Mbit/s. All four come within `SteeringLimits.evidenceWithin`.
    static let seconds: Int64 = 7

    let relay: RelayAddress
    let token: String
    let certificateAuthorityFile: String?

    func perform(_ pictures: [Picture]) -> FetchedPictures {
        var contents: [String] = []
        for picture in pictures {
            var exchange = HTTPExchange(
                relay: relay, method: .get, path: "/v1/pictures/\(picture.digest.rawValue)", bearer: token,
                certificateAuthorityFile: certificateAuthorityFile)
            exchange.answerBytesMax = WireLimits.pictureBytesMax
            exchange.seconds = Self.seconds
            do throws(HTTPError) {
                let answer = try exchange.perform()
                switch answer.status {
                case 200: break
                case 404: return .refused("the picture is not there any more")
                case let status: return .refused("its host could not fetch the picture: the relay answered \(status)")
                }
                guard Crypto.hex(Crypto.sha256(answer.body)) == picture.digest.rawValue else {
                    return .refused("what its host got is not the picture that was sent")
                }
                // The size of a sealed picture is known only once it is open.
                guard picture.type == .sealed || PictureSize(of: answer.body)?.isDrawable == true else {
                    return .refused("the picture has too many pixels, or does not say how many")
                }
                contents.append(Crypto.base64(answer.body))
            } catch { return .refused("its host could not fetch the picture: \(error.message)") }
        }
        return .all(contents)
    }
}
