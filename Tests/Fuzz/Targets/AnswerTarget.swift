import RelayProtocol

@testable import HeliographHTTP2
@testable import HeliographHook
@testable import HeliographHost
@testable import PushAPNs
@testable import PushWeb
@testable import RelayAccess

/// Answers of others, and text that people paste: a daemon, a relay, push services or a proxy in front of them, addresses of
/// subscriptions, pairing links, status lines.
///
/// An answer means the same however it was cut on its way, and half of one is none.
enum AnswerTarget {
    static func run(_ input: [UInt8]) {
        guard let kind = input.first else { return }
        let rest = Array(input.dropFirst())
        switch kind {
        case UInt8(ascii: "H"): checkHookResponse(rest)
        case UInt8(ascii: "R"): checkExchange(rest)
        case UInt8(ascii: "P"): checkPairing(rest)
        case UInt8(ascii: "A"): checkAPNs(rest)
        case UInt8(ascii: "1"): checkHTTP1(rest)
        case UInt8(ascii: "W"): checkWebPush(rest)
        case UInt8(ascii: "E"): checkEndpoint(rest)
        default: checkText(rest)
        }
    }

    private static func checkHookResponse(_ bytes: [UInt8]) {
        var whole = HookResponse(limits: HookLimits())
        let outcome = whole.append(bytes)
        var pieces = HookResponse(limits: HookLimits())
        for (position, byte) in bytes.enumerated() {
            switch pieces.append([byte]) {
            case .incomplete: continue
            case .unusable:
                require(outcome == .unusable, "unusable in pieces, and not as a whole")
            case .complete(let status, let body):
                // Bytes after a whole answer make it unusable if they come with it.
                let isAll = position == bytes.count - 1
                require(outcome == (isAll ? .complete(status: status, body: body) : .unusable), "another answer in pieces")
            }
            return
        }
        require(outcome == .incomplete, "nothing in pieces, and something as a whole")
    }

    private static func checkExchange(_ bytes: [UInt8]) {
        var known: HTTPExchange.Answer?
        for count in stride(from: 0, through: bytes.count, by: max(1, bytes.count / 16)) {
            let answer = try? HTTPExchange.answer(in: Array(bytes.prefix(count)), isWhole: false)
            if let known { require(answer == known, "an answer changes when more comes") }
            known = answer
        }
        guard let answer = try? HTTPExchange.answer(in: bytes, isWhole: true) else { return }
        require((100..<600).contains(answer.status), "a status that there is not")
        if let result = try? PairingRequest.read(answer, role: .host) {
            require(result.token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a token that would end its header")
        }
    }

    private static func checkPairing(_ bytes: [UInt8]) {
        guard let link = PairingLink(String(decoding: bytes, as: UTF8.self)) else { return }
        let address = "\(link.relay)"
        require(RelayAddress(address) == link.relay, "an address is another when it is read again: \(address)")
        require(link.code.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a code that would end its header")
        require(!link.code.contains("&k="), "a secret that goes to the relay with the code")
    }

    private static func checkAPNs(_ bytes: [UInt8]) {
        var reader = InputReader(bytes)
        let status = String(decoding: reader.line(), as: UTF8.self)
        let retryAfter = String(decoding: reader.line(), as: UTF8.self)
        let body = reader.bytes(bytes.count)
        let answer = APNsAnswer(
            HTTP2Message(
                headers: [HTTP2Header(":status", status), HTTP2Header("retry-after", retryAfter)], body: body))
        _ = answer.remedy
        require((200..<300).contains(answer.status) == false || answer.reasonText.isEmpty, "an acceptance with a reason")
        _ = APNsAnswer.reasonText(ofGoAway: body)
    }

    private static func checkHTTP1(_ bytes: [UInt8]) {
        var limits = HTTP2Limits()
        (limits.bodyBytesMax, limits.headerBytesMax) = (1_024, 1_024)
        var (whole, pieces) = (HTTP1Response(), HTTP1Response())
        let known = Result { try whole.append(bytes, limits) }
        for byte in bytes {
            do {
                guard let found = try pieces.append([byte], limits) else { continue }
                require((try? known.get())?.message == found.message, "another answer in pieces")
                require(found.message.body.count <= limits.bodyBytesMax, "a body beyond the limit")
            } catch {
                require((try? known.get()) == nil, "an answer as a whole, and none in pieces")
            }
            return
        }
        require((try? known.get()) == nil, "an answer as a whole, and nothing in pieces")
    }

    private static func checkWebPush(_ bytes: [UInt8]) {
        var reader = InputReader(bytes)
        let (status, retryAfter) = (reader.line(), reader.line())
        let headers = [(":status", status), ("retry-after", retryAfter)].map {
            HTTP2Header($0, String(decoding: $1, as: UTF8.self))
        }
        guard let endpoint = try? WebPushEndpoint("https://web.push.apple.com/secret-of-a-phone", of: WebPushServices()) else {
            preconditionFailure("this is an address")
        }
        let answer = WebPushAnswer(
            HTTP2Message(headers: headers, body: reader.bytes(bytes.count)), to: endpoint, at: 1_795_178_096)
        require(answer.retryAfter ?? .zero >= .zero, "a wait that is over before it begins")
        require(!answer.text.contains("secret-of-a-phone"), "the secret is shown")
        require(answer.text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "an answer that commands")
    }

    private static func checkEndpoint(_ bytes: [UInt8]) {
        let services = WebPushServices(added: [.init("push.example.org", port: 8_443)])
        let text = String(decoding: bytes, as: UTF8.self)
        _ = try? VAPIDContact(text)
        guard let endpoint = try? WebPushEndpoint(text, of: services) else { return }
        require(
            (try? WebPushEndpoint(endpoint.secretText, of: services)) == endpoint, "an address is another when it is read again"
        )
        require(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "an address that would end its header")
        require(
            ["push.apple.com", "googleapis.com", "google.com", "mozilla.com", "windows.com", "example.org"].contains {
                endpoint.origin.host.hasSuffix($0)
            }, "a host that is not called")
    }

    private static func checkText(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        for shown in [VisibleText.line(text), VisibleText.exactLine(text)] {
            require(shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "a control character is shown")
        }
        _ = VisibleText.warnings(about: text)
        if let line = ClaudeStatusLine.text(for: bytes) {
            require(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "a status line that commands")
        }
    }
}
