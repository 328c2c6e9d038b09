import Foundation
import HeliographCrypto
import HeliographHTTP2
import HeliographTestSupport

@testable import PushWeb

/// A client of ours and the strict push service in Python.
struct PushServicePair {
    let client: WebPushClient
    let key = VAPIDKey()
    let services: WebPushServices
    private let python: Python

    init(
        protocols: [String] = ["h2", "http/1.1"], mayBePrivate: Bool = true, isTrusted: Bool = true,
        certificateNames: [String] = ["DNS:localhost"], _ change: (inout WebPushLimits) -> Void = { _ in }
    ) async throws {
        let folder = try TemporaryFolders.make()
        let files = ["certificate.pem", "key.pem"].map { folder.appending(path: $0).path }
        let made = try SelfSignedCertificate(names: certificateNames, days: 1)
        try made.certificate.write(toFile: files[0], atomically: true, encoding: .utf8)
        try made.privateKey.write(toFile: files[1], atomically: true, encoding: .utf8)
        python = try Python("push_service_peer", arguments: files + protocols)
        guard let port = try await python.next()["port"]?.int else { throw TestFailure("the push service does not listen") }
        services = WebPushServices(added: [.init("localhost", port: UInt16(port), mayBePrivate: mayBePrivate)])
        var configuration = WebPushConfiguration(key: key, contact: try VAPIDContact("mailto:me@example.org"))
        configuration.services = services
        configuration.authorityFile = isTrusted ? files[0] : nil
        change(&configuration.limits)
        client = try WebPushClient(configuration)
    }

    /// A browser of the service's subscribes, for our key or that of `other`.
    func subscribe(for other: VAPIDKey? = nil) async throws -> WebPushSubscription {
        let said = try await order(["do": "subscribe", "key": (other ?? key).publicText])
        guard let endpoint = said["endpoint"]?.string, let p256dh = said["p256dh"]?.string, let auth = said["auth"]?.string
        else {
            throw TestFailure("\(said)")
        }
        return try WebPushSubscription(endpoint: endpoint, p256dh: p256dh, auth: auth, of: services)
    }

    func unsubscribe(_ subscription: WebPushSubscription) async throws {
        _ = try await order(["do": "unsubscribe", "endpoint": subscription.endpoint.secretText])
    }

    struct Fault: Encodable {
        var `do` = "answer"
        var status: Int?
        var headers: [String: String] = [:]
        var body = ""
        var cuts = false
    }

    /// The answer to the next request, instead of a judgement; without a status it is not answered.
    func fault(_ status: Int? = nil, _ headers: [String: String] = [:], _ body: String = "", cuts: Bool = false) async throws {
        _ = try await order(Fault(status: status, headers: headers, body: body, cuts: cuts))
    }

    /// The next request to the service.
    func request() async throws -> [String: PeerValue] { try await python.next { $0["event"]?.string == "request" } }

    private func order(_ order: some Encodable) async throws -> [String: PeerValue] {
        python.tell(String(decoding: try JSONEncoder().encode(order), as: UTF8.self))
        return try await python.next { $0["event"]?.string != "request" }
    }
}
