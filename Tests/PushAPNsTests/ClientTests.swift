import ChannelAPNs
import HeliographCrypto
import Foundation
import HeliographHTTP2
import RelayProtocol
import Synchronization
import HeliographTestSupport
import Testing

@testable import PushAPNs

/// Counts down; true while there is something left.
private final class Countdown: Sendable {
    private let left: Mutex<Int>
    init(_ count: Int) { left = Mutex(count) }
    func take() -> Bool {
        left.withLock { left in
            left -= 1
            return left >= 0
        }
    }
}

@Suite("The client against a server with faults", .timeLimit(.minutes(2)))
struct ClientTests {
    private func isAccepted(_ outcome: APNsOutcome) -> Bool { if case .accepted = outcome.result { true } else { false } }

    /// Sends that many requests at once.
    private func send(_ count: Int, _ pair: APNsPair) async -> [APNsOutcome] {
        await withTaskGroup(of: APNsOutcome.self) { group in
            for number in 0..<count { group.addTask { await pair.client.send(APNsPair.push(number)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `a push goes out as Apple wants it, signed by the key`() async throws {
        let pair = try await APNsPair(FakeAPNs.accept)
        let outcome = await pair.client.send(APNsPair.push(7) { $0.collapseID = "session-1" })
        guard case .accepted(let acceptance) = outcome.result else { throw TestFailure("\(outcome)") }
        #expect(acceptance.status == 200 && acceptance.uniqueID == "u-1")
        #expect(outcome.attempts == 1 && outcome.environment == .production)
        let request = try await pair.server.requests.next { _ in true }
        #expect(request[":method"] == "POST")
        #expect(request[":path"] == "/3/device/aa7")
        #expect(request[":authority"] == "api.push.apple.com")
        #expect(request["apns-topic"] == "dev.example.push-type.liveactivity")
        #expect(request["apns-push-type"] == "liveactivity")
        #expect(request["apns-priority"] == "10")
        #expect(request["apns-expiration"] == "0")
        #expect(request["apns-collapse-id"] == "session-1")
        #expect(request["apns-id"]?.count == 36)
        #expect(String(decoding: request.body, as: UTF8.self).contains(#""timestamp":7"#))
        let bearer = try #require(request["authorization"])
        let parts = bearer.dropFirst("bearer ".count).split(separator: ".").map(String.init)
        let signature = try #require(Crypto.bytes(base64URL: parts[2]))
        #expect(pair.key.publicKey.isSignature(signature, of: Array("\(parts[0]).\(parts[1])".utf8)))
    }

    @Test func `the first goes alone, the others as the server allows, all on one connection with one token`() async throws {
        let pair = try await APNsPair(FakeAPNs.accept)
        let outcomes = await send(200, pair)
        #expect(outcomes.allSatisfy(isAccepted) && outcomes.count == 200)
        #expect(pair.server.connections.all.count == 1)
        #expect(Set(pair.server.requests.all.map { $0["authorization"] }).count == 1)
        #expect(outcomes.allSatisfy { $0.attempts == 1 })
        let lanes = await pair.client.lanes()
        #expect(lanes.count == 1)
        #expect(lanes.first?.connection?.peerStreamsMax == 100)
        #expect(lanes.first?.flying == 0 && lanes.first?.waiting == 0 && lanes.first?.trouble == nil)
    }

    @Test func `refusals come back with their reason and advice`() async throws {
        let pair = try await APNsPair { message, stream, loop in
            switch message[":path"] {
            case "/3/device/aa1": FakeAPNs.refuse(410, .unregistered, stream, loop)
            case "/3/device/aa2": FakeAPNs.refuse(413, .payloadTooLarge, stream, loop)
            default: loop.respond(HTTP2Message(status: 400, body: Array("<html>".utf8)), to: stream)
            }
        }
        let gone = await pair.client.send(APNsPair.push(1) { $0.tokenRegisteredAt = 999 })
        #expect(gone.result == .refused(status: 410, .unregistered, text: "Unregistered", .dropToken))
        let large = await pair.client.send(APNsPair.push(2))
        #expect(large.result == .refused(status: 413, .payloadTooLarge, text: "PayloadTooLarge", .fixRequest))
        let strange = await pair.client.send(APNsPair.push(3))
        #expect(strange.result == .refused(status: 400, nil, text: "", .fixRequest))
    }

    @Test(arguments: ["goAway", "refuse", "reset", "drop", "cut", "headersThenDrop"])
    func `one fault in the middle of many pushes loses none and doubles none that is not harmless`(fault: String) async throws {
        let trigger = Countdown(1)
        let pair = try await APNsPair { message, stream, loop in
            guard message[":path"] == "/3/device/aa20", trigger.take() else { return FakeAPNs.accept(message, stream, loop) }
            switch fault {
            case "goAway": loop.goAway(stream.connection, lastStream: max(0, stream.number - 2))
            case "refuse": loop.reset(stream, .refusedStream)
            case "reset": loop.reset(stream, .internalError)
            case "drop": loop.drop(stream.connection)
            case "headersThenDrop":
                loop.sendHeaders([HTTP2Header(":status", "200")], to: stream)
                loop.cut(stream.connection, afterBytes: 30)
            default:
                loop.cut(stream.connection, afterBytes: 4)
                loop.respond(HTTP2Message(status: 200), to: stream)
            }
        }
        let outcomes = await send(60, pair)
        #expect(outcomes.count == 60)
        #expect(outcomes.allSatisfy(isAccepted), "\(outcomes.filter { !isAccepted($0) })")
        let isNewConnection = !["refuse", "reset"].contains(fault)
        #expect(pair.server.connections.all.count == (isNewConnection ? 2 : 1))
    }

    @Test func `what is not harmless to repeat is unknown after a drop, and sent once`() async throws {
        let pair = try await APNsPair { message, stream, loop in loop.drop(stream.connection) }
        let outcome = await pair.client.send(APNsPair.push { $0.isHarmlessToRepeat = false })
        #expect(outcome.result == .unknown(.connectionLost))
        #expect(pair.server.requests.all.count == 1)
    }

    @Test func `a black hole is left for another connection`() async throws {
        let trigger = Countdown(1)
        var limits = APNsLimits()
        limits.answerDeadline = .milliseconds(200)
        limits.pingDeadline = .milliseconds(200)
        limits.backoffBase = .milliseconds(50)
        let pair = try await APNsPair(limits: limits) { message, stream, loop in
            if message[":path"] == "/3/device/aa1", trigger.take() { return loop.stall(stream.connection) }
            FakeAPNs.accept(message, stream, loop)
        }
        #expect(isAccepted(await pair.client.send(APNsPair.push(0))))
        let outcome = await pair.client.send(APNsPair.push(1))
        #expect(isAccepted(outcome) && outcome.attempts >= 2)
        #expect(pair.server.connections.all.count >= 2)
    }

    @Test func `an idle connection is asked before it is used, and a dead one replaced`() async throws {
        var limits = APNsLimits()
        limits.idleMax = .milliseconds(50)
        limits.pingDeadline = .seconds(2)
        let pair = try await APNsPair(limits: limits, FakeAPNs.accept)
        #expect(isAccepted(await pair.client.send(APNsPair.push(0))))
        let first = try await pair.server.connections.next { _ in true }
        try await idle(.milliseconds(60), pair)
        #expect(isAccepted(await pair.client.send(APNsPair.push(1))))
        #expect(pair.server.connections.all.count == 1)
        pair.engine.execute { $0.stall(first) }
        try await idle(.milliseconds(60), pair)
        let outcome = await pair.client.send(APNsPair.push(2))
        #expect(isAccepted(outcome) && outcome.attempts == 1, "nothing was entrusted to the dead one")
        #expect(pair.server.connections.all.count == 2)
    }

    /// Lets the loop's clock pass so much.
    private func idle(_ duration: Duration, _ pair: APNsPair) async throws {
        let passed = EventLog<Bool>()
        pair.engine.execute { loop in loop.schedule(after: duration) { _ in passed.append(true) } }
        _ = try await passed.next { $0 }
    }

    @Test func `errors of the server are tried again until it is well`() async throws {
        let trigger = Countdown(2)
        var limits = APNsLimits()
        limits.backoffBase = .milliseconds(20)
        let pair = try await APNsPair(limits: limits) { message, stream, loop in
            if trigger.take() { return FakeAPNs.refuse(503, .serviceUnavailable, stream, loop) }
            FakeAPNs.accept(message, stream, loop)
        }
        let outcome = await pair.client.send(APNsPair.push())
        #expect(isAccepted(outcome) && outcome.attempts == 3)
    }

    @Test func `a token of the other environment ends there`() async throws {
        let pair = try await APNsPair { message, stream, loop in
            if message[":authority"] == "api.push.apple.com" { return FakeAPNs.refuse(400, .badDeviceToken, stream, loop) }
            FakeAPNs.accept(message, stream, loop)
        }
        let outcome = await pair.client.send(APNsPair.push())
        #expect(isAccepted(outcome) && outcome.environment == .sandbox)
    }

    @Test func `a new key file is used on a connection of its own`() async throws {
        let replaced = Mutex<ES256PrivateKey?>(nil)
        let pair = try await APNsPair { message, stream, loop in
            let key = replaced.withLock { $0 }
            let parts = (message["authorization"] ?? "").dropFirst("bearer ".count).split(separator: ".").map(String.init)
            let isSigned = key.map {
                $0.publicKey.isSignature(
                    Crypto.bytes(base64URL: parts[2]) ?? [], of: Array("\(parts[0]).\(parts[1])".utf8))
            }
            if isSigned == false { return FakeAPNs.refuse(403, .invalidProviderToken, stream, loop) }
            FakeAPNs.accept(message, stream, loop)
        }
        #expect(isAccepted(await pair.client.send(APNsPair.push(0))))
        let key = ES256PrivateKey()
        replaced.withLock { $0 = key }
        try key.pem.write(toFile: pair.keyFile, atomically: true, encoding: .utf8)
        // The first refusal makes us look at the file.
        let refused = await pair.client.send(APNsPair.push(1))
        #expect(refused.result == .refused(status: 403, .invalidProviderToken, text: "InvalidProviderToken", .fixCredentials))
        #expect(isAccepted(await pair.client.send(APNsPair.push(2))))
        #expect(pair.server.connections.all.count == 2)
    }

    @Test func `a restart takes the provider token along, and only its owner can read it`() async throws {
        let pair = try await APNsPair(FakeAPNs.accept)
        #expect(isAccepted(await pair.client.send(APNsPair.push(0))))
        pair.client.stop()
        let file = pair.folder.appending(path: "provider-token-TEAM567890-KEY4567890.json").path
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let next = try APNsClient(pair.clientConfiguration)
        #expect(isAccepted(await next.send(APNsPair.push(1))))
        #expect(Set(pair.server.requests.all.map { $0["authorization"] }).count == 1)
        next.stop()
        // A token of another key is useless.
        try ES256PrivateKey().pem.write(toFile: pair.keyFile, atomically: true, encoding: .utf8)
        let other = try APNsClient(pair.clientConfiguration)
        #expect(isAccepted(await other.send(APNsPair.push(2))))
        #expect(Set(pair.server.requests.all.map { $0["authorization"] }).count == 2)
    }

    @Test func `a window that does not open and a hang end with the deadline`() async throws {
        var limits = APNsLimits()
        limits.answerDeadline = .milliseconds(200)
        let pair = try await APNsPair(limits: limits) {
            $0.faults.holdsWindow = true
            $0.streamWindowBytes = 10
        } _: { _, _, _ in
        }
        let outcome = await pair.client.send(
            APNsPair.push {
                $0.isHarmlessToRepeat = false
                $0.patience = .seconds(5)
            })
        #expect(outcome.result == .unknown(.timedOut))
    }

    @Test func `SETTINGS that never come end with patience, and say what stood in the way`() async throws {
        let pair = try await APNsPair {
            $0.faults.isSilent = true
        } _: { _, _, _ in
        }
        let outcome = await pair.client.send(APNsPair.push { $0.patience = .milliseconds(300) })
        #expect(outcome.result == .notSent(.patienceOver(nil)))
    }

    @Test func `the end of the client gives every request an outcome`() async throws {
        let pair = try await APNsPair { _, _, _ in }
        async let sent = pair.client.send(APNsPair.push(0))
        _ = try await pair.server.requests.next { _ in true }
        async let waiting = pair.client.send(APNsPair.push(1))
        while await pair.client.lanes().first?.waiting != 1 { await Task.yield() }
        pair.client.stop()
        #expect(await sent.result == .unknown(.connectionLost))
        #expect(await waiting.result == .notSent(.stopped))
        #expect(await pair.client.send(APNsPair.push(2)).result == .notSent(.stopped))
        #expect(await pair.client.lanes().isEmpty)
    }
}
