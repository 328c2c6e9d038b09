/// The call of the service that a request makes.
enum Route: Equatable {
    case push(token: String)
    case publish(bundle: String)
    case createChannel(bundle: String)
    case readChannel(bundle: String)
    case deleteChannel(bundle: String)
    case listChannels(bundle: String)

    init(_ request: PushRequest, service: Endpoint.Service) throws(RefusalError) {
        let parts = request.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        switch (service, parts.count, parts.first) {
        case (.push, 3, "3") where parts[1] == "device":
            try Self.require(["POST"], request)
            self = .push(token: parts[2])
        case (.push, 2, "3") where parts[1] == "device":
            try Self.require(["POST"], request)
            self = .push(token: "")
        case (.push, 4, "4") where parts[1] == "broadcasts" && parts[2] == "apps" && !parts[3].isEmpty:
            try Self.require(["POST"], request)
            self = .publish(bundle: parts[3])
        case (.management, 4, "1") where parts[1] == "apps" && parts[3] == "channels":
            try Self.require(["POST", "GET", "DELETE"], request)
            self =
                switch request.method {
                case "POST": .createChannel(bundle: parts[2])
                case "GET": .readChannel(bundle: parts[2])
                default: .deleteChannel(bundle: parts[2])
                }
        case (.management, 4, "1") where parts[1] == "apps" && parts[3] == "all-channels":
            try Self.require(["GET"], request)
            self = .listChannels(bundle: parts[2])
        default: throw RefusalError(.badPath)
        }
    }

    private static func require(_ methods: [String], _ request: PushRequest) throws(RefusalError) {
        guard methods.contains(request.method) else { throw RefusalError(.methodNotAllowed) }
    }

    func answer(
        _ request: PushRequest, self simulator: inout APNsSimulator, on connection: ConnectionNumber, id: String, copies: Int,
        _ record: inout RequestRecord, _ now: Int64
    ) throws(RefusalError) -> Response {
        switch self {
        case .push(let token):
            try simulator.push(request, to: token, on: connection, id: id, copies: copies, &record, at: now)
        case .publish(let bundle):
            try simulator.publish(request, of: bundle, on: connection, id: id, copies: copies, &record, at: now)
        case .createChannel(let bundle): try simulator.createChannel(request, of: bundle, on: connection)
        case .readChannel(let bundle): try simulator.readChannel(request, of: bundle, on: connection)
        case .deleteChannel(let bundle): try simulator.deleteChannel(request, of: bundle, on: connection)
        case .listChannels(let bundle): try simulator.listChannels(request, of: bundle, on: connection)
        }
    }
}
