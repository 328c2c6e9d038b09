/// An HTTP request that an edge forwards as a whole.
package struct HTTPCall: Sendable, Equatable {
    package var method: String
    package var path: String
    package var query: String?
    package var headers: [HTTPField]
    package var body: [UInt8]
    package var peer: NodePeer
    package var isNamedByProxy: Bool
    package var isTLS: Bool

    package init(
        method: String, path: String, query: String?, headers: [HTTPField], body: [UInt8], peer: NodePeer,
        isNamedByProxy: Bool, isTLS: Bool
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.peer = peer
        self.isNamedByProxy = isNamedByProxy
        self.isTLS = isTLS
    }

    func write(to writer: inout RecordWriter) {
        writer.text(method)
        writer.text(path)
        writer.optionalText(query)
        HTTPField.write(headers, to: &writer)
        writer.data(body)
        peer.write(to: &writer)
        writer.byte(isNamedByProxy ? 1 : 0)
        writer.byte(isTLS ? 1 : 0)
    }

    init(from reader: inout RecordReader) throws(NodeLinkError) {
        method = try reader.text("a method")
        path = try reader.text("a path")
        query = try reader.optionalText("a query")
        headers = try HTTPField.read(from: &reader)
        body = try reader.data(atMost: NodeLinkLimits.bodyBytesMax, "a body")
        peer = try NodePeer(from: &reader)
        isNamedByProxy = try reader.flag("whether a proxy named a peer")
        isTLS = try reader.flag("whether a request came over TLS")
    }
}

/// The owner's answer to an `HTTPCall`.
package struct HTTPAnswer: Sendable, Equatable {
    package var status: UInt16
    package var headers: [HTTPField]
    package var body: [UInt8]

    package init(status: UInt16, headers: [HTTPField], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// True if the request was not begun, as the node that answers does not own the workspace.
    package var saysNotOwner: Bool { headers.contains(NodeLinkProtocol.notOwner) }

    func write(to writer: inout RecordWriter) {
        writer.number(UInt64(status))
        HTTPField.write(headers, to: &writer)
        writer.data(body)
    }

    init(from reader: inout RecordReader) throws(NodeLinkError) {
        status = UInt16(try reader.number(below: 1_000, "a status"))
        headers = try HTTPField.read(from: &reader)
        body = try reader.data(atMost: NodeLinkLimits.messageBytesMax, "a body")
    }
}

package struct HTTPField: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    static func write(_ fields: [HTTPField], to writer: inout RecordWriter) {
        writer.number(fields.count)
        for field in fields {
            writer.text(field.name)
            writer.text(field.value)
        }
    }

    static func read(from reader: inout RecordReader) throws(NodeLinkError) -> [HTTPField] {
        let count = try reader.number(below: NodeLinkLimits.headersMax + 1, "the count of headers")
        var fields: [HTTPField] = []
        for _ in 0..<count { fields.append(HTTPField(try reader.text("a header's name"), try reader.text("a header"))) }
        return fields
    }
}
