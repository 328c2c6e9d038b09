internal import RelayProtocol

/// One request, its response, and the outcomes on devices.
package struct RequestRecord: Sendable {
    package let number: Int
    package let connection: ConnectionNumber
    package let stream: Int32
    package let environment: PushEnvironment?
    package let request: PushRequest
    /// The scripted fault, by name.
    package let fault: String?
    package internal(set) var tokenKind: DeviceToken.Kind?
    package internal(set) var status: Int?
    package internal(set) var reason: Reason?
    package internal(set) var messageID: String?
    /// Other faults on the stream or the connection.
    package internal(set) var disturbances: [String] = []
    package internal(set) var devices: [(device: DeviceID, outcome: DeviceOutcome)] = []

    init(
        number: Int, connection: ConnectionNumber, stream: Int32, environment: PushEnvironment?, request: PushRequest,
        fault: String?
    ) {
        self.number = number
        self.connection = connection
        self.stream = stream
        self.environment = environment
        self.request = request
        self.fault = fault
    }

    mutating func answer(in orders: [Order]) {
        for order in orders {
            switch order {
            case .answer(let response, _):
                status = response.status
                reason = response.reason
                messageID = response.headers.first { $0.name == "apns-id" || $0.name == "apns-request-id" }?.value
            case .limitStreams(let limit): disturbances.append("limitStreams \(limit)")
            case .reset(let code): disturbances.append("reset \(code)")
            case .goAway(let lastStream, _, let closes): disturbances.append("goAway \(lastStream)\(closes ? ", closes" : "")")
            case .cut(_, let cut): disturbances.append("cut \(cut.rawValue)")
            case .close(let resets): disturbances.append(resets ? "close with RST" : "close")
            case .blackHole: disturbances.append("blackHole")
            case .starveWindow: disturbances.append("starveWindow")
            }
        }
    }

    func write(to line: inout JSONWriter) {
        line.field("request", Int64(number))
        line.field("connection", Int64(connection.value))
        line.field("stream", Int64(stream))
        line.field("environment", environment?.rawValue)
        line.field("method", request.method)
        line.field("path", request.path)
        line.object("headers") { headers in
            // The token itself is left out, because it opens every app of its team for an hour: its claims are enough.
            for (name, value) in request.headers where name != "authorization" { headers.field(dynamic: name, value) }
        }
        if let token = request.header("authorization").flatMap({ ProviderToken(authorization: $0, takesTextIssuedAt: true) }) {
            line.object("provider") { provider in
                provider.field("team", token.team)
                provider.field("key", token.keyID)
                provider.field("issuedAt", token.issuedAt)
            }
        }
        line.field("bodyBytes", Int64(request.body.count))
        if let document = try? JSONDocument(parsing: request.body) {
            // JSON has line breaks only as white space between values, so replacing them keeps it on one line.
            line.raw("body", document.bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 })
        } else if !request.body.isEmpty {
            line.field("bodyBase64", Base64.encode(request.body))
        }
        line.field("tokenKind", tokenKind?.rawValue)
        line.field("fault", fault)
        line.field("status", status.map { Int64($0) })
        line.field("reason", reason?.rawValue)
        line.field("apnsID", messageID)
        if !disturbances.isEmpty { line.strings("disturbances", disturbances) }
        line.array(
            "devices",
            devices.map { entry in
                JSONWriter.object { device in
                    device.field("device", entry.device.name)
                    entry.outcome.write(to: &device)
                }
            })
    }
}
