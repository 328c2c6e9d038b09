import APNsSimulator
import struct APNsSimulator.Device
import struct APNsSimulator.DeviceID
import Foundation
import RelayProtocol

/// A simulator with one team, its keys, its apps and one phone; and a sender that makes no mistakes unless configured otherwise.
final class Rig {
    /// 2026-11-20T12:34:56Z, the time of the golden payloads.
    static let moment: Int64 = 1_795_178_096_000
    static let bundle = "com.codingbridge"
    static let phone = DeviceID("phone")

    var simulator: APNsSimulator
    var now: Int64 = Rig.moment
    var connection = ConnectionNumber(1)
    var stream: Int32 = -1
    /// Time of the provider token that `push` sends; renewed when it gets old.
    private var issuedAt: Int64 = Rig.moment
    var journal: [JournalEntry] = []

    /// Accepts the signature `good`, which the tests use.
    struct Verifier: TokenVerifier {
        func isValid(_ signature: [UInt8], of message: [UInt8], publicKey: String) -> Bool {
            signature == Array("good".utf8)
        }
    }

    init(
        _ endpoint: Endpoint = Endpoint(.sandbox), systemVersion: Device.SystemVersion = .init(26),
        limits: Device.Limits = .init(), configuration: APNsSimulator.Configuration = .init(),
        app: (inout InstalledApp) -> Void = { _ in }
    ) {
        simulator = APNsSimulator(configuration: configuration, verifier: Verifier())
        simulator.register(ProviderKey(id: "KEY1", team: "TEAM", publicKey: "1"))
        simulator.register(app: Self.bundle, .init(team: "TEAM", hasBroadcast: true))
        simulator.register(app: "com.example.silent", .init(team: "TEAM"))
        simulator.register(app: "com.other", .init(team: "OTHERTEAM", hasBroadcast: true))
        simulator.addDevice(Self.phone, systemVersion: systemVersion, limits: limits)
        var installed = InstalledApp(bundle: Self.bundle, activityTypes: [KnownApp.codingbridge.activityTypes])
        installed.categories = ["approval": ["Deny", "Approve"]]
        app(&installed)
        simulator.onDevice(Self.phone, at: now) { $0.install(installed, at: Self.moment) }
        _ = simulator.connected(connection, to: endpoint, at: now)
    }

    // MARK: - Sending

    /// A provider token as a text for `authorization`.
    static func token(
        key: String = "KEY1", team: String = "TEAM", issuedAt: Int64 = Rig.moment / 1000, algorithm: String = "ES256",
        signature: String = "good", claims: String? = nil
    ) -> String {
        let header = #"{"alg":"\#(algorithm)","kid":"\#(key)"}"#
        let claims = claims ?? #"{"iss":"\#(team)","iat":\#(issuedAt)}"#
        return "bearer " + [header, claims, signature].map(base64URL).joined(separator: ".")
    }

    static func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    func token(_ kind: DeviceToken.Kind) -> String {
        simulator.allTokens.last { $0.kind == kind && $0.state == .live }?.token ?? "none"
    }

    /// A valid alert to the phone.
    func alert(_ aps: String = #"{"alert":{"title":"Approval","body":"Run: swift test"},"sound":"default"}"#) -> PushRequest {
        request(to: token(.alert), type: "alert", body: #"{"aps":\#(aps)}"#)
    }

    func request(to token: String, type: String, priority: String = "10", body: String) -> PushRequest {
        let suffix = type == "liveactivity" ? ".push-type.liveactivity" : ""
        return PushRequest(
            path: "/3/device/\(token)",
            headers: [
                ("authorization", Self.token()), ("apns-push-type", type), ("apns-topic", Self.bundle + suffix),
                ("apns-priority", priority),
            ], body: Array(body.utf8))
    }

    func orders(of request: PushRequest) -> [Order] {
        stream += 2
        guard simulator.opened(stream: stream, on: connection, at: now) else { return [.reset(code: Fault.refusedStream)] }
        let orders = simulator.handle(request, stream: stream, on: connection, at: now)
        simulator.closed(stream: stream, on: connection)
        journal += simulator.takeJournal()
        return orders
    }

    @discardableResult
    func send(_ request: PushRequest) -> Response? { orders(of: request).answer }

    func opens(_ stream: Int32) -> Bool { simulator.opened(stream: stream, on: connection, at: now) }

    func pass(to now: Int64) -> [(ConnectionNumber, Order)] { simulator.pass(to: now) }

    /// Uses another connection from here on.
    func reconnect(_ endpoint: Endpoint = Endpoint(.sandbox)) {
        connection = ConnectionNumber(connection.value + 1)
        stream = -1
        _ = simulator.connected(connection, to: endpoint, at: now)
    }

    // MARK: - Live Activities

    static let attributes = #"{"projectName":"relay","projectPath":"~/relay","sessionId":"sess_7f3a"}"#
    static let working = #"{"status":"processing","elapsedSeconds":1230}"#

    var seconds: Int64 { now / 1000 }

    /// The body of a valid start; `extra` begins with a comma.
    func start(extra: String = #","alert":{"title":"relay","body":"is working"}"#, state: String = Rig.working) -> String {
        #"{"aps":{"timestamp":\#(seconds),"event":"start","attributes-type":"CodingBridgeActivityAttributes","#
            + #""attributes":\#(Self.attributes),"content-state":\#(state)\#(extra)}}"#
    }

    func change(
        _ event: String = "update", timestamp: Int64? = nil, state: String? = Rig.working, extra: String = ""
    ) -> String {
        let content = state.map { #","content-state":\#($0)"# } ?? ""
        return #"{"aps":{"timestamp":\#(timestamp ?? seconds),"event":"\#(event)"\#(content)\#(extra)}}"#
    }

    func push(_ kind: DeviceToken.Kind, priority: String = "10", _ body: String) -> DeviceOutcome? {
        var push = request(to: token(kind), type: "liveactivity", priority: priority, body: body)
        if now - issuedAt > 50 * 60_000 {
            reconnect()
            issuedAt = now
        }
        push = push.with("authorization", Self.token(issuedAt: issuedAt / 1000))
        send(push)
        return lastOutcome
    }

    /// Starts a card by push, with a timestamp of a second ago.
    func startCard() {
        _ = push(.pushToStart, start())
        now += 1000
    }

    // MARK: - Looking

    var lastRequest: RequestRecord? {
        for case .request(let record) in journal.map(\.what).reversed() { return record }
        return nil
    }

    var lastOutcome: DeviceOutcome? { lastRequest?.devices.last?.outcome }

    var device: Device { simulator.devices[Self.phone]! }

    func onPhone<Result>(_ body: (inout Device, Int64) -> Result) -> Result {
        let result = simulator.onDevice(Self.phone, at: now) { [now] in body(&$0, now) }!
        journal += simulator.takeJournal()
        return result
    }

    /// Advances the time by `milliseconds`.
    func wait(_ milliseconds: Int64) {
        now += milliseconds
        _ = simulator.pass(to: now)
        journal += simulator.takeJournal()
    }

    /// Outcomes that devices produced by themselves, in order.
    var happenings: [DeviceOutcome] {
        journal.compactMap { if case .device(_, let outcome) = $0.what { outcome } else { nil } }
    }
}

extension [Order] {
    var answer: Response? {
        for case .answer(let response, _) in self { return response }
        return nil
    }
}

extension Response {
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension PushRequest {
    /// The request with a header replaced or added; removed if `value` is nil.
    func with(_ name: String, _ value: String?) -> PushRequest {
        var changed = self
        changed.headers.removeAll { $0.name == name }
        if let value { changed.headers.append((name, value)) }
        return changed
    }

    func with(path: String? = nil, method: String? = nil, body: [UInt8]? = nil) -> PushRequest {
        PushRequest(method: method ?? self.method, path: path ?? self.path, headers: headers, body: body ?? self.body)
    }
}
