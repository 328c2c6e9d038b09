internal import CHeliographLibwebsockets

/// Copies headers from libwebsockets' table, which exists while a request is handled.
@safe struct HeaderReader {
    /// Headers that `HTTPRequest.header` always includes.
    static let standard: [(name: String, token: lws_token_indexes)] = [
        ("host", WSI_TOKEN_HOST), ("origin", WSI_TOKEN_ORIGIN), ("authorization", WSI_TOKEN_HTTP_AUTHORIZATION),
        ("cookie", WSI_TOKEN_HTTP_COOKIE), ("content-type", WSI_TOKEN_HTTP_CONTENT_TYPE),
        ("content-length", WSI_TOKEN_HTTP_CONTENT_LENGTH), ("user-agent", WSI_TOKEN_HTTP_USER_AGENT),
        ("sec-websocket-protocol", WSI_TOKEN_PROTOCOL), ("x-forwarded-for", WSI_TOKEN_X_FORWARDED_FOR),
        ("x-real-ip", WSI_TOKEN_HTTP_X_REAL_IP), ("accept", WSI_TOKEN_HTTP_ACCEPT),
        ("accept-encoding", WSI_TOKEN_HTTP_ACCEPT_ENCODING), ("accept-language", WSI_TOKEN_HTTP_ACCEPT_LANGUAGE),
        ("if-none-match", WSI_TOKEN_HTTP_IF_NONE_MATCH), ("if-modified-since", WSI_TOKEN_HTTP_IF_MODIFIED_SINCE),
        ("cache-control", WSI_TOKEN_HTTP_CACHE_CONTROL), ("referer", WSI_TOKEN_HTTP_REFERER),
    ]

    static let methods: [(name: String, token: lws_token_indexes)] = [
        ("GET", WSI_TOKEN_GET_URI), ("POST", WSI_TOKEN_POST_URI), ("HEAD", WSI_TOKEN_HEAD_URI), ("PUT", WSI_TOKEN_PUT_URI),
        ("DELETE", WSI_TOKEN_DELETE_URI), ("OPTIONS", WSI_TOKEN_OPTIONS_URI), ("PATCH", WSI_TOKEN_PATCH_URI),
    ]

    /// Headers in which a disagreement between parsers could hide something. With a blank or a tab before its colon, libwebsockets
    /// treats a header as unknown and continues; another parser may accept it. If unknown headers cannot be listed
    /// (`CLWS_LISTS_HEADERS`), these are checked by name.
    private static let doubtful: [String] =
        ["transfer-encoding", "connection", "upgrade", "sec-websocket-key", "sec-websocket-version", "forwarded"]
        + standard.map(\.name)

    /// True if libwebsockets can list unknown headers.
    static let listsHeaders = CLWS_LISTS_HEADERS != 0

    private let wsi: OpaquePointer

    init(_ wsi: OpaquePointer) {
        unsafe self.wsi = wsi
    }

    /// The header's value, pieces of a repeated one joined as libwebsockets does; nil if absent or empty.
    func value(_ token: lws_token_indexes) -> String? {
        let count = unsafe Int(lws_hdr_total_length(wsi, token))
        guard count > 0 else { return nil }
        return unsafe Self.string(capacity: count + 1) { unsafe lws_hdr_copy(wsi, $0, Int32(count + 1), token) }
    }

    /// Length of the first line and of the values of all headers that libwebsockets knows by name.
    var bytes: Int {
        (0..<WSI_TOKEN_COUNT.rawValue).reduce(0) { unsafe $0 + Int(lws_hdr_total_length(wsi, lws_token_indexes($1))) }
    }

    /// Number of times the header occurs; 2 stands for more.
    func occurrences(_ token: lws_token_indexes) -> Int {
        guard unsafe lws_hdr_total_length(wsi, token) > 0 else { return 0 }
        return unsafe lws_hdr_fragment_length(wsi, token, 1) > 0 ? 2 : 1
    }

    /// The value of a header that libwebsockets does not know by name. `name` is in lower case.
    func custom(_ name: String) -> String? {
        let field = name + ":"
        let length = Int32(field.utf8.count)
        let count = unsafe Int(lws_hdr_custom_length(wsi, field, length))
        guard count > 0 else { return nil }
        return unsafe Self.string(capacity: count + 1) {
            unsafe lws_hdr_custom_copy(wsi, $0, Int32(count + 1), field, length)
        }
    }

    /// Arguments for `hasBlankBeforeColon`, made once for each listener because requests are frequent.
    static func blankFields(extraHeaders: [String]) -> [String] {
        (doubtful + extraHeaders.map { $0.lowercased() }).flatMap { [$0 + " :", $0 + "\t:"] }
    }

    /// True if a header has a blank before its colon, which RFC 9112, 5.1 tells servers to refuse. If libwebsockets cannot list
    /// unknown headers, only those that matter are checked.
    func hasBlankBeforeColon(_ fields: [String]) -> Bool {
        let seen = unsafe clws_has_blank_before_colon(wsi)
        guard seen < 0 else { return seen > 0 }
        return fields.contains { unsafe lws_hdr_custom_length(wsi, $0, Int32($0.utf8.count)) >= 0 }
    }

    /// The query, joined from its parts between `&`, which libwebsockets stores separately.
    var query: String? {
        var parts: [String] = []
        while true {
            let index = Int32(parts.count)
            let count = unsafe Int(lws_hdr_fragment_length(wsi, WSI_TOKEN_HTTP_URI_ARGS, index))
            guard count > 0 else { break }
            let part = unsafe Self.string(capacity: count + 1) {
                unsafe lws_hdr_copy_fragment(wsi, $0, Int32(count + 1), WSI_TOKEN_HTTP_URI_ARGS, index)
            }
            parts.append(part ?? "")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "&")
    }

    /// Delay that the response asks for; nil also if it is a date, or more than an hour.
    var retryAfter: Duration? {
        guard let seconds = value(WSI_TOKEN_HTTP_RETRY_AFTER).flatMap({ Int($0) }), (0...3_600).contains(seconds) else {
            return nil
        }
        return .seconds(seconds)
    }

    var methodAndPath: (method: String, path: String)? {
        for (name, token) in Self.methods {
            if let path = value(token) { return (name, path) }
        }
        return nil
    }

    func request(peer: Peer, extraHeaders: [String]) -> HTTPRequest? {
        guard let (method, path) = methodAndPath, path.hasPrefix("/") else { return nil }
        var headers: [(name: String, value: String)] = []
        for (name, token) in Self.standard {
            if let value = value(token) { headers.append((name, value)) }
        }
        for name in extraHeaders {
            let name = name.lowercased()
            if let value = custom(name) { headers.append((name, value)) }
        }
        return unsafe HTTPRequest(
            method: method, path: path, query: query, headers: headers, peer: peer, isTLS: lws_is_ssl(wsi) != 0)
    }

    private static func string(
        capacity: Int, _ copy: (UnsafeMutablePointer<CChar>) -> Int32
    ) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            let count = unsafe copy(buffer.baseAddress!)
            guard count >= 0 else { return nil }
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<min(Int(count), capacity)])
            return unsafe String(decoding: bytes, as: UTF8.self)
        }
    }
}
