internal import AgentLocal
internal import HostCore
internal import WebSocketEngine

extension DriverSeat {
    /// Answers a request that failed and changed nothing.
    func refuse(_ token: HookToken, _ error: LocalError) {
        loop.respond(
            to: HTTPRequestID(rawValue: token.rawValue),
            HTTPResponse(
                status: error.status, headers: [("content-type", "application/json")], body: .bytes(error.bytes)))
    }
}
