import Testing
import WebSocketEngine

@testable import HeliographServer

@Suite struct WebPageTests {
    private let page = WebPage(
        root: nil,
        content: [
            (
                "index.html",
                """
                <style>body { color: black }</style>
                <p>A page, a page, a page, a page, a page, a page, a page, a page, a page, a page, a page, a page.</p>
                <script type="module">start();</script>
                """
            ),
            ("icon.svg", "<svg/>"), ("notes.md", "not served"), ("icon.png", "iVBORw0KGgo="),
        ])

    private func answer(_ path: String, _ headers: [(String, String)] = []) -> HTTPResponse? {
        page.response(to: HTTPRequest(method: "GET", path: path, headers: headers.map { ($0.0, $0.1) }, peer: .ip("127.0.0.1")))
    }

    private func header(_ name: String, of response: HTTPResponse?) -> String? {
        response?.headers.first { $0.0 == name }?.1
    }

    @Test func `what was compressed at the start is sent to who takes it, and the text to who does not`() throws {
        let plain = try #require(answer("/"))
        #expect(
            plain.status == 200 && header("content-encoding", of: plain) == nil
                && header("vary", of: plain) == "accept-encoding")
        let small = try #require(answer("/", [("accept-encoding", "gzip, deflate, br")]))
        #expect(header("content-encoding", of: small) == "gzip" && small.body.count < plain.body.count)
        #expect(header("etag", of: small) == header("etag", of: plain))
        // Six bytes do not become fewer.
        #expect(header("content-encoding", of: answer("/icon.svg", [("accept-encoding", "gzip")])) == nil)
        #expect(answer("/notes.md") == nil && answer("/app.js") == nil)
    }

    @Test func `a picture is what it was before it was put into the binary`() throws {
        let picture = try #require(answer("/icon.png", [("accept-encoding", "gzip")]))
        #expect(header("content-type", of: picture) == "image/png" && header("content-encoding", of: picture) == nil)
        guard case .bytes(let bytes) = picture.body else { throw CancellationError() }
        #expect(bytes == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    }

    @Test func `who has it is told so`() throws {
        let tag = try #require(header("etag", of: answer("/")))
        for held in [tag, "\"other\", \(tag)", String(tag.dropFirst(2)), "*"] {
            #expect(answer("/", [("if-none-match", held)])?.status == 304, "\(held)")
        }
        #expect(answer("/", [("if-none-match", "W/\"other\"")])?.status == 200)
        #expect(header("etag", of: answer("/icon.svg")) != tag)
    }

    @Test(arguments: [
        ("gzip", true), ("br, GZIP;q=0.5", true), ("*", true), ("", false), ("br", false), ("gzip;q=0", false),
        ("*;q=0", false),
        ("identity, gzip; q=0.0", false), ("gzip;q=0, *", false),
    ])
    func `an encoding is asked for in many ways`(_ list: String, _ takes: Bool) {
        #expect(WebPage.takesGzip(list) == takes)
    }

    @Test func `only what stands in the page itself may run, and nothing may stand in it in a folder`() throws {
        let policy = try #require(page.securityHeaders.first { $0.0 == "content-security-policy" }?.1)
        // Both digests are from OpenSSL: printf %s TEXT | openssl sha256 -binary | base64
        #expect(
            policy.contains("script-src 'sha256-E6jQvrT2ZivWG9GJ4AAEZf4MhI7l3QkLroW4hgvUT4c=';")
                && policy.contains("style-src 'sha256-9nTC/7dB2f1JpbRTvOrSQbb3pM4m9KB3UwcuNN8sxso=';"), "\(policy)")
        #expect(!policy.contains("unsafe"))
        let folder = WebPage(root: "/nowhere").securityHeaders.first { $0.0 == "content-security-policy" }?.1 ?? ""
        #expect(folder.contains("script-src 'self'; style-src 'self';"))
    }

    @Test func `what the page requests later may run in it, and the worker's script may not`() throws {
        let page = WebPage(
            root: nil,
            content: [
                ("index.html", "<style>a{}</style><script>start();</script>"), ("part-1.js", "part();"),
                ("part-1.css", "b{top:0}"),
                ("worker.js", "worker();"),
            ])
        let policy = try #require(page.securityHeaders.first { $0.0 == "content-security-policy" }?.1)
        #expect(
            policy.contains(
                "script-src 'sha256-E6jQvrT2ZivWG9GJ4AAEZf4MhI7l3QkLroW4hgvUT4c=' 'sha256-e6HLEhvevBZks3kf30wt2i5eEr90QSf7kGpm6XNDeZQ=';"
            )
                && policy.contains(
                    "style-src 'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk=' 'sha256-glHtJTlV14jnybiB8VExkMe37XsC4bVntDacTTPF6Zw=';"
                ),
            "\(policy)")
    }
}
