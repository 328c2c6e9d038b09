internal import HostCore
internal import RelayProtocol

/// One message of JSON-RPC. Identifiers are kept in their original bytes: `0`, `"0"` and `null` are three different ones.
enum RPCMessage {
    case request(id: [UInt8], method: String, params: JSONValue?)
    case notification(method: String, params: JSONValue?)
    /// A response. `result` is nil for an error, whose message is `failure`.
    case response(id: [UInt8], result: JSONValue?, failure: String?)

    /// Nil if the line is not a message, or if two readers could understand it differently.
    init?(_ line: [UInt8]) {
        guard let root = try? JSONDocument(parsing: line).root else { return nil }
        self.init(root)
    }

    /// Reads as much as possible of a line that is not strict JSON: for display, not for decisions.
    init?(repairing line: [UInt8]) {
        self.init(JSONRepair.document(line).root)
    }

    private init?(_ root: JSONValue) {
        guard let members = try? root.members() else { return nil }
        let id = members.first { $0.key == "id" }.map { Array($0.value.bytes) }
        let params = root.optional("params")
        if let method = root.text("method") {
            self = id.map { .request(id: $0, method: method, params: params) } ?? .notification(method: method, params: params)
            return
        }
        guard let id, root.optional("method") == nil else { return nil }
        if members.contains(where: { $0.key == "result" }) {
            self = .response(id: id, result: members.first { $0.key == "result" }?.value, failure: nil)
        } else if let error = root.optional("error") {
            self = .response(id: id, result: nil, failure: error.text("message") ?? "the request failed")
        } else {
            return nil
        }
    }
}
