import Glibc

/// One event on its way to the daemon: the agent's input, verbatim, some facts about the agent, and a name of this run.
package struct HookRequest: Sendable {
    private static let wordBytesMax = 64

    package let path: String
    private let headers: String
    package let body: [UInt8]

    /// Nil if a part of the path is not a plain word. `call`: the name of this run of the hook, the same at every attempt.
    package init?(
        path parts: [String], body: [UInt8], isWhole: Bool = true, call: String? = nil, caller: HookCaller = HookCaller()
    ) {
        guard parts.allSatisfy(Self.isWord) else { return nil }
        // `joined` is not used, because its generic code costs a hook two thirds of its own time.
        path = parts.reduce(into: "/v1") { $0 += "/\($1)" }
        self.body = body
        var headers = ""
        func tell(_ header: String, _ value: String?) {
            // Any other text could end the header and begin another.
            if let value, Self.isWord(value) { headers += "\(header): \(value)\r\n" }
        }
        tell("X-Agent-Pid", caller.process)
        tell("X-Agent-Entrypoint", caller.entrypoint)
        tell("X-Agent-Attended", caller.attended)
        if caller.dialogWaits { headers += "X-Dialog-Waits: 1\r\n" }
        if !isWhole { headers += "X-Cut: 1\r\n" }
        if let call, Self.isWord(call) { headers += "X-Call: \(call)\r\n" }
        self.headers = headers
    }

    /// 16 random bytes in hexadecimal; nil if the kernel has none, and then the daemon cannot recognise a repeated attempt.
    package static func randomCall() -> String? {
        var bytes = [UInt8](repeating: 0, count: 16)
        // The buffer is the array's own during the call.
        guard unsafe getentropy(&bytes, bytes.count) == 0 else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// The bytes to send. From the second attempt on they contain its number, so that the daemon recognises the question.
    package func bytes(attempt: Int = 1) -> [UInt8] {
        var head = "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += "Content-Length: \(body.count)\r\n"
        head += headers
        if attempt > 1 { head += "X-Attempt: \(attempt)\r\n" }
        head += "Connection: close\r\n\r\n"
        return Array(head.utf8) + body
    }

    private static func isWord(_ text: String) -> Bool {
        guard (1...wordBytesMax).contains(text.utf8.count) else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
    }
}
