internal import Glibc
internal import HeliographCrypto
internal import RelayAccess
internal import RelayProtocol

/// A picture for a prompt, named on the command line. It is read before anything is sent, and uploaded to the relay before the
/// prompt.
struct PictureFile: Sendable {
    let path: String
    let named: Picture
    private let content: [UInt8]

    static func read(_ paths: [String]) throws(ClientError) -> [PictureFile] {
        guard paths.count <= WireLimits.picturesMax else {
            throw ClientError(.usage, "a prompt takes at most \(WireLimits.picturesMax) pictures")
        }
        var files: [PictureFile] = []
        for path in paths { files.append(try PictureFile(path)) }
        return files
    }

    private init(_ path: String) throws(ClientError) {
        self.path = path
        content = try Self.content(of: path)
        guard let type = PictureType(of: content), let digest = PictureDigest(Crypto.hex(Crypto.sha256(content))) else {
            throw ClientError(.usage, "\(path) is no picture that agents take: it has to be a PNG, a JPEG or a WebP")
        }
        guard let size = PictureSize(of: content) else {
            throw ClientError(.usage, "\(path) is broken: it does not say how large it is")
        }
        guard size.isDrawable else {
            throw ClientError(
                .usage, "\(path) has \(size.width) × \(size.height) pixels, and agents take at most 50 million",
                advice: Self.makeItSmaller(path))
        }
        named = Picture(digest: digest, type: type, bytes: content.count)
    }

    private init(sealed bytes: [UInt8], of file: PictureFile) throws(ClientError) {
        guard bytes.count <= WireLimits.pictureBytesMax, let digest = PictureDigest(Crypto.hex(Crypto.sha256(bytes))) else {
            throw ClientError(
                .usage, "\(file.path) is too large to be sealed", advice: Self.makeItSmaller(file.path))
        }
        (path, content, named) = (file.path, bytes, Picture(digest: digest, type: .sealed, bytes: bytes.count))
    }

    /// The picture as its host accepts it. `seal` returns nil if it is sent unsealed.
    func sealed(_ seal: ([UInt8]) throws(ClientError) -> [UInt8]?) throws(ClientError) -> PictureFile {
        guard let bytes = try seal(content) else { return self }
        return try PictureFile(sealed: bytes, of: self)
    }

    private static func makeItSmaller(_ path: String) -> String {
        "Make it smaller: convert \(path) -resize '1568x1568>' -strip small.jpg"
    }

    private static func content(of path: String) throws(ClientError) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            throw ClientError(.usage, "\(path) cannot be read: \(unsafe String(cString: strerror(errno)))")
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ClientError(.usage, "\(path) is no file")
        }
        guard status.st_size <= WireLimits.pictureBytesMax else {
            throw ClientError(
                .usage, "\(path) is larger than \(WireLimits.pictureBytesMax >> 10) KiB",
                advice: Self.makeItSmaller(path))
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = unsafe bytes.withUnsafeMutableBytes {
                unsafe Glibc.read(file, $0.baseAddress! + filled, $0.count - filled)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ClientError(.usage, "\(path) cannot be read to its end") }
            filled += count
        }
        return bytes
    }

    /// Uploads the picture. Blocks the calling thread.
    func bring(to credentials: Credentials, for session: SessionID) throws(ClientError) {
        var exchange = HTTPExchange(
            relay: credentials.relay, path: "/v1/pictures?session=\(session)", body: content, bearer: credentials.token,
            certificateAuthorityFile: credentials.certificateAuthorityFile)
        exchange.bodyFile = path
        let answer: HTTPExchange.Answer
        do throws(HTTPError) { answer = try exchange.perform() } catch {
            throw ClientError(.unreachable, "the picture did not reach the relay: \(error.message)")
        }
        let root = (try? JSONDocument(parsing: answer.body))?.root
        switch answer.status {
        case 200:
            guard let root, (try? Picture(from: root)) == named else {
                throw ClientError(.failed, "\(path) has changed while it was sent")
            }
        case 401: throw ClientError(.unauthorised, "the relay does not know this terminal (any more)")
        case 403:
            throw ClientError(
                .unauthorised, "this terminal was not paired to tell agents what to do",
                advice: "On the relay's machine: heliograph pair --role operator. Here: heliograph login LINK")
        case 405: throw ClientError(.refused, "this relay takes no pictures: it is of an older version")
        default:
            let message = root?.optional("error").flatMap { try? $0.string("message") }
            throw ClientError(
                .refused, "the relay did not take \(path): \(message.map(VisibleText.line) ?? "\(answer.status)")")
        }
    }
}
