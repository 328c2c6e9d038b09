import HostCore
import RelayProtocol

@testable import AgentLocal

/// Simulates client and daemon around the machine, and records its orders, one short line each.
struct MCPBench {
    private(set) var machine: MCPMachine
    private(set) var calls = 0
    private var now = HostInstant(wall: 1_800_000_000_000, monotonic: 50_000)
    private var lines: [String] = []

    init(greeted: Bool = false, capabilities: String = "{}", limits: MCPLimits = MCPLimits()) {
        machine = MCPMachine(session: "s", folder: "/work", version: "1", waitSeconds: 60, limits: limits)
        guard greeted else { return }
        receive(
            #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":\#(capabilities),"clientInfo":{"name":"tester","version":"3"}}}"#
        )
        _ = take()
    }

    static func stateless(_ method: String, _ parameters: String, version: String = "2026-07-28", id: Int = 7) -> String {
        let meta =
            #""_meta":{"io.modelcontextprotocol/protocolVersion":"\#(version)","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}"#
        let inner = parameters == "{}" ? "" : String(parameters.dropFirst().dropLast()) + ","
        return #"{"jsonrpc":"2.0","id":\#(id),\#(method),"params":{\#(inner)\#(meta)}}"#
    }

    mutating func receive(_ line: String) { tell(.received(Array(line.utf8))) }

    mutating func call(_ tool: String, _ arguments: String, meta: String? = nil, id: Int = 5) {
        let meta = meta.map { #","_meta":{\#($0)}"# } ?? ""
        receive(
            #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)\#(meta)}}"#
        )
    }

    mutating func reply(_ call: Int, _ reply: MCPMachine.Reply) { tell(.answered(call, reply)) }

    mutating func pass(_ duration: Duration) {
        now.monotonic += duration.milliseconds
        now.wall += duration.milliseconds
        if let due = machine.nextDeadline, due <= now.monotonic { tell(.waited) }
    }

    mutating func tell(_ fact: MCPMachine.Fact) {
        for order in machine.handle(fact, at: now) {
            switch order {
            case .send(let bytes): lines.append(Self.shown(bytes))
            case .ask(let call, let body):
                calls = call
                lines.append("ask \(call) \(Self.text(body))")
            case .withdraw(let call): lines.append("withdraw \(call)")
            case .post(let call, let what, let body):
                lines += "\(what) \(call.map { "for \($0) " } ?? "")\(Self.text(body))".split(separator: "\n").map(String.init)
            }
        }
    }

    mutating func take() -> [String] {
        defer { lines = [] }
        return lines
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// The id and the text of a tool's result; any other line unchanged.
    private static func shown(_ line: [UInt8]) -> String {
        guard let root = try? JSONDocument(parsing: line).root, let result = root.optional("result"),
            let content = try? result.array("content"), let said = try? content[0].string("text")
        else { return String(text(line).dropLast()) }
        let isError = (try? result.flag("isError")) == true
        return "\(text(Array(root.optional("id")!.bytes)))\(isError ? ", an error" : ""): \(said)"
    }
}
