import RelayProtocol
import WebSocketEngine

/// The relay's common responses.
extension HTTPResponse {
    /// The `retry-after` header. Random by default, so that peers that are refused together do not return together.
    static func retryAfter(seconds: Int = .random(in: 1...ServerLimits.retryAfterSecondsMax)) -> (String, String) {
        ("retry-after", "\(seconds)")
    }

    static func text(_ status: UInt16, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: [("content-type", "text/plain; charset=utf-8")], body: .bytes(Array(text.utf8)))
    }

    /// Metrics in the text format of Prometheus.
    static func metrics(_ exposition: String) -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: [("content-type", "text/plain; version=0.0.4; charset=utf-8")],
            body: .bytes(Array(exposition.utf8)))
    }

    static func json(_ status: UInt16, _ notice: Notice) -> HTTPResponse {
        json(status, notice.errorBody)
    }

    static func json(_ status: UInt16, _ body: [UInt8]) -> HTTPResponse {
        HTTPResponse(status: status, headers: [("content-type", "application/json")], body: .bytes(body))
    }
}

extension Notice {
    fileprivate var errorBody: [UInt8] {
        JSONWriter.object { writer in
            writer.object("error") {
                $0.field("code", code)
                $0.field("message", message)
                $0.field("path", path)
            }
        }
    }
}
