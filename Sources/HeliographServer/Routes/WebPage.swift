import Foundation
import WebSocketEngine

/// The companion page: out of the binary, or out of a folder while someone works on it.
struct WebPage {
    /// Nil: what the binary carries.
    let root: String?

    /// A page of ours is kilobytes.
    private static let fileBytesMax = 4 << 20

    /// Nothing but our own files runs, nothing but our own relay is talked to, and nobody frames the buttons.
    static let securityHeaders: [(String, String)] = [
        (
            "content-security-policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; "
                + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
        ("cache-control", "no-cache"),
    ]

    private static let embedded = Dictionary(
        EmbeddedFiles.all.map { ($0.path, $0.content) }, uniquingKeysWith: { first, _ in first })

    func response(to path: String) -> HTTPResponse? {
        let name = path == "/" ? "index.html" : String(path.dropFirst())
        // A name is looked up, never resolved: no dots that climb, no hidden files.
        guard !name.split(separator: "/", omittingEmptySubsequences: false).contains(where: { $0.hasPrefix(".") || $0.isEmpty })
        else { return nil }
        guard let type = Self.contentType(of: name), let body = body(of: name) else { return nil }
        return HTTPResponse(status: 200, headers: [("content-type", type)], body: body)
    }

    private func body(of name: String) -> HTTPResponse.Body? {
        guard let root else { return Self.embedded[name].map { .staticBytes($0) } }
        let file = URL(fileURLWithPath: root).appending(path: name)
        guard let data = try? Data(contentsOf: file), data.count <= Self.fileBytesMax else { return nil }
        return .bytes(Array(data))
    }

    private static func contentType(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        case "webmanifest": "application/manifest+json"
        case "txt": "text/plain; charset=utf-8"
        default: nil
        }
    }
}
