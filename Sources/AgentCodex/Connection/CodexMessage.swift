internal import HostCore
internal import RelayProtocol

/// One message of the app-server: JSON-RPC without its version. Request ids are of any type, compared as they are written.
enum CodexMessage {
    case request(id: [UInt8], method: String, params: JSONValue)
    case notification(method: String, params: JSONValue)
    case result(call: Int64, JSONValue)
    case failure(call: Int64, code: Int64?, message: String)

    /// Nil for other messages, and for answers to a request that we cannot have made.
    init?(_ document: JSONDocument) {
        let root = document.root
        let id = root.optional("id")
        if let method = root.text("method") {
            let params = root.optional("params") ?? root
            self =
                id.map { .request(id: Array($0.bytes), method: method, params: params) }
                ?? .notification(method: method, params: params)
        } else if let call = root.whole("id") {
            if let error = root.optional("error") {
                self = .failure(
                    call: call, code: try? error.integer("code", in: -JSONValue.integerMax...JSONValue.integerMax),
                    message: error.text("message") ?? "")
            } else if let result = root.optional("result") {
                self = .result(call: call, result)
            } else {
                return nil
            }
        } else {
            return nil
        }
    }

    static func answer(_ id: [UInt8], _ result: [UInt8]) -> [UInt8] {
        JSONWriter.object {
            $0.raw("id", id)
            $0.raw("result", result)
        }
    }
}
