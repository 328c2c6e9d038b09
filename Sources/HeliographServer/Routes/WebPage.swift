import HeliographCrypto
import Foundation
import WebSocketEngine
import HeliographZlib

/// The companion page: from the executable, or from a folder during its development.
///
/// Each file of the executable is compressed and gets a tag once, at the start. A browser revalidates each file every time
/// (`no-cache`) and gets a 304 while the tag is the same: no cached file outlives an upgrade of the relay.
struct WebPage {
    /// Headers that allow only our own files to run, only connections to our own relay, and no frames around the page.
    let securityHeaders: [(String, String)]

    /// Nil: the files in the executable.
    private let root: String?
    private let files: [String: File]

    /// Limit of a file: ours have kilobytes.
    private static let fileBytesMax = 4 << 20

    private struct File {
        let type: String
        let body: HTTPResponse.Body
        /// Nil if it would not be smaller.
        let compressed: [UInt8]?
        /// The tag of both forms; weak, as it says that the content is the same, not the bytes.
        let tag: String

        init(type: String, content: StaticString) {
            let text = unsafe Array(UnsafeBufferPointer(start: content.utf8Start, count: content.utf8CodeUnitCount))
            // Pictures are embedded in base64.
            let picture = type == WebPage.pictureType ? Data(base64Encoded: Data(text)).map { Array($0) } : nil
            let bytes = picture ?? text
            let compressed = Zlib.gzip(bytes)
            self.type = type
            body = picture.map { .bytes($0) } ?? .staticBytes(content)
            self.compressed = compressed.count < bytes.count ? compressed : nil
            tag = "W/\"\(Crypto.base64URL(Array(Crypto.sha256(bytes).prefix(12))))\""
        }
    }

    init(root: String?, content: [(path: String, content: StaticString)] = EmbeddedFiles.all) {
        self.root = root
        guard root == nil else {
            files = [:]
            securityHeaders = Self.securityHeaders(scripts: ["'self'"], styles: ["'self'"])
            return
        }
        var files: [String: File] = [:]
        for (path, content) in content {
            if let type = Self.contentType(of: path) { files[path] = File(type: type, content: content) }
        }
        self.files = files
        let page = content.first { $0.path == "index.html" }?.content.description ?? ""
        // Digests of the files of the part with this extension: the page requests their text and puts it into an element.
        func part(_ ending: String) -> [String] {
            content.filter { $0.path.hasPrefix("part-") && $0.path.hasSuffix(ending) }.map {
                Self.source($0.content.description)
            }
        }
        securityHeaders = Self.securityHeaders(
            scripts: Self.sources(of: "script", in: page) + part(".js"),
            styles: Self.sources(of: "style", in: page) + part(".css"))
    }

    private static func securityHeaders(scripts: [String], styles: [String]) -> [(String, String)] {
        [
            (
                "content-security-policy",
                "default-src 'none'; script-src \(scripts.joined(separator: " ")); style-src \(styles.joined(separator: " ")); "
                    + "img-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
                    + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types own"
            ),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("permissions-policy", "camera=(), geolocation=(), microphone=(self)"),
            ("cache-control", "no-cache"),
        ]
    }

    /// Digests of the scripts or styles in the page itself: only these exact texts may be used.
    private static func sources(of element: String, in page: String) -> [String] {
        var sources: [String] = []
        var rest = page[...]
        while let start = rest.firstRange(of: "<\(element)"), let open = rest[start.upperBound...].firstIndex(of: ">"),
            let end = rest[open...].firstRange(of: "</\(element)>")
        {
            sources.append(source(String(rest[rest.index(after: open)..<end.lowerBound])))
            rest = rest[end.upperBound...]
        }
        return sources.isEmpty ? ["'none'"] : sources
    }

    private static func source(_ text: String) -> String { "'sha256-\(Crypto.base64(Crypto.sha256(Array(text.utf8))))'" }

    func response(to request: HTTPRequest) -> HTTPResponse? {
        let name = request.path == "/" ? "index.html" : String(request.path.dropFirst())
        // Names are looked up, never resolved as paths: no `..`, no hidden files.
        guard !name.split(separator: "/", omittingEmptySubsequences: false).contains(where: { $0.hasPrefix(".") || $0.isEmpty })
        else { return nil }
        if let root { return Self.response(from: URL(fileURLWithPath: root).appending(path: name)) }
        guard let file = files[name] else { return nil }
        var response = HTTPResponse(
            status: 200, headers: [("content-type", file.type), ("etag", file.tag), ("vary", "accept-encoding")],
            body: file.body)
        if let compressed = file.compressed, Self.takesGzip(request.header("accept-encoding") ?? "") {
            response.headers.append(("content-encoding", "gzip"))
            response.body = .bytes(compressed)
        }
        // A 304 has the length of the body that it omits.
        if let held = request.header("if-none-match"), Self.names(held, file.tag) { response.status = 304 }
        return response
    }

    private static func response(from file: URL) -> HTTPResponse? {
        guard let type = contentType(of: file.lastPathComponent), let data = try? Data(contentsOf: file),
            data.count <= fileBytesMax
        else { return nil }
        return HTTPResponse(status: 200, headers: [("content-type", type)], body: .bytes(Array(data)))
    }

    /// True if `If-None-Match` contains the tag. Tags are compared weakly (RFC 9110 §13.1.2): a proxy may have changed ours to a
    /// weak or a strong one.
    static func names(_ list: String, _ tag: String) -> Bool {
        func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
        return list.split(separator: ",").map { Self.trimmed($0) }.contains { $0 == "*" || opaque($0) == opaque(tag[...]) }
    }

    /// True if `Accept-Encoding` (RFC 9110 §12.5.3) allows gzip: by name or by `*`, and not with a weight of 0.
    static func takesGzip(_ list: String) -> Bool {
        var others = false
        for entry in list.lowercased().split(separator: ",") {
            let parts = entry.split(separator: ";").map { trimmed($0) }
            let isRefused = parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
            if parts.first == "gzip" || parts.first == "x-gzip" { return !isRefused }
            if parts.first == "*" { others = !isRefused }
        }
        return others
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }

    private static let pictureType = "image/png"

    private static func contentType(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json": "application/json"
        case "svg": "image/svg+xml"
        case "png": pictureType
        case "webmanifest": "application/manifest+json"
        case "txt": "text/plain; charset=utf-8"
        default: nil
        }
    }
}
