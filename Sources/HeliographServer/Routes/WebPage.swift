import HeliographCrypto
import Foundation
import WebSocketEngine
import HeliographZlib

/// The companion page: out of the binary, or out of a folder while someone works on it.
///
/// Each file of the binary is compressed and named by a tag once, at the start. A browser asks about each every time (`no-cache`) and is told
/// "as you have it" while the tag is the same: nothing that a cache kept outlives an upgrade of the relay.
struct WebPage {
    /// Nothing but our own files runs, nothing but our own relay is talked to, and nobody frames the buttons.
    let securityHeaders: [(String, String)]

    /// Nil: what the binary carries.
    private let root: String?
    private let files: [String: File]

    /// A page of ours is kilobytes.
    private static let fileBytesMax = 4 << 20

    private struct File {
        let type: String
        let body: HTTPResponse.Body
        /// Nil if it would not be smaller.
        let compressed: [UInt8]?
        /// The tag of both: a weak tag says that the content is the same, not the bytes.
        let tag: String

        init(type: String, content: StaticString) {
            let text = unsafe Array(UnsafeBufferPointer(start: content.utf8Start, count: content.utf8CodeUnitCount))
            // Pictures are embedded as base64.
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
        // The page requests the text of its part, and puts it into an element.
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
            ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
            ("cache-control", "no-cache"),
        ]
    }

    /// The parts of the page itself, each by its digest: this very text may run, and nothing else in a page.
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
        // A name is looked up, never resolved: no dots that climb, no hidden files.
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
        // A 304 has the length of the body that it leaves out.
        if let held = request.header("if-none-match"), Self.names(held, file.tag) { response.status = 304 }
        return response
    }

    private static func response(from file: URL) -> HTTPResponse? {
        guard let type = contentType(of: file.lastPathComponent), let data = try? Data(contentsOf: file),
            data.count <= fileBytesMax
        else { return nil }
        return HTTPResponse(status: 200, headers: [("content-type", type)], body: .bytes(Array(data)))
    }

    /// `If-None-Match`, whose tags are compared weakly (RFC 9110 §13.1.2): a proxy may have made ours weak, or believe that it is not.
    static func names(_ list: String, _ tag: String) -> Bool {
        func opaque(_ tag: Substring) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag }
        return list.split(separator: ",").map { Self.trimmed($0) }.contains { $0 == "*" || opaque($0) == opaque(tag[...]) }
    }

    /// `Accept-Encoding` (RFC 9110 §12.5.3): named, or covered by `*`, and not with a weight of 0.
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
