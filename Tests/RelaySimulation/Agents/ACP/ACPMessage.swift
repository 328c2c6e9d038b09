import HostCore
import RelayProtocol

/// A JSON-RPC message, as the simulated ends of the Agent Client Protocol write and read it.
enum ACPMessage {
    case request(id: String, method: String, params: JSONValue?)
    case notification(method: String, params: JSONValue?)
    case response(id: String, result: JSONValue?)

    /// Removes the complete lines from the beginning of `arrived`.
    static func lines(of arrived: inout [UInt8]) -> [ACPMessage] {
        var messages: [ACPMessage] = []
        while let feed = arrived.firstIndex(of: UInt8(ascii: "\n")) {
            let line = Array(arrived[..<feed])
            arrived.removeFirst(feed + 1)
            guard let message = ACPMessage(line) else {
                preconditionFailure("the proxy passes on what is written: \(String(decoding: line, as: UTF8.self))")
            }
            messages.append(message)
        }
        return messages
    }

    private init?(_ line: [UInt8]) {
        guard let root = try? JSONDocument(parsing: line).root else { return nil }
        let id = root.optional("id").map { String(decoding: $0.bytes, as: UTF8.self) }
        let params = root.optional("params")
        if let method = root.text("method") {
            self = id.map { .request(id: $0, method: method, params: params) } ?? .notification(method: method, params: params)
        } else if let id {
            self = .response(id: id, result: root.optional("result"))
        } else {
            return nil
        }
    }

    static func request(_ id: String, _ method: String, _ params: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":{\#(params)}}"#
    }

    static func notification(_ method: String, _ params: String) -> String {
        #"{"jsonrpc":"2.0","method":"\#(method)","params":{\#(params)}}"#
    }

    static func result(_ id: String, _ result: String) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":{\#(result)}}"# }

    static func failure(_ id: String, _ code: Int, _ message: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":"\#(message)"}}"#
    }
}
