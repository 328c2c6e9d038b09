internal import RelayProtocol

/// The lines that Claude Code reads on its standard input (facts/agents.md 2.6).
enum ControlLine {
    static func initialize(_ id: String) -> [UInt8] { request(id, "initialize") }
    static func interrupt(_ id: String) -> [UInt8] { request(id, "interrupt") }
    static func mode(_ mode: String, _ id: String) -> [UInt8] { request(id, "set_permission_mode") { $0.field("mode", mode) } }
    static func model(_ model: String, _ id: String) -> [UInt8] { request(id, "set_model") { $0.field("model", model) } }

    /// A prompt. A `uuid` is run once, however often it is sent.
    static func prompt(_ text: String, _ pictures: [Picture] = [], uuid: String, session: String) -> [UInt8] {
        line {
            $0.field("type", "user")
            $0.field("uuid", uuid)
            $0.object("message") {
                $0.field("role", "user")
                if pictures.isEmpty {
                    $0.field("content", text)
                } else {
                    $0.array("content", pictures.map(block) + [block(text)])
                }
            }
            $0.raw("parent_tool_use_id", Array("null".utf8))
            $0.field("session_id", session)
        }
    }

    private static func block(_ picture: Picture) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("type", "image")
            writer.object("source") {
                $0.field("type", "base64")
                $0.field("media_type", picture.type.rawValue)
                $0.field("data", picture.content)
            }
        }
    }

    private static func block(_ text: String) -> [UInt8] {
        JSONWriter.object {
            $0.field("type", "text")
            $0.field("text", text)
        }
    }

    /// Allows a call. `input`: the agent's own, byte for byte, or the answers to its questions added to it.
    static func allow(_ request: String, input: [UInt8]) -> [UInt8] {
        response(request) {
            $0.field("behavior", "allow")
            $0.raw("updatedInput", input)
        }
    }

    static func deny(_ request: String, _ message: String) -> [UInt8] {
        response(request) {
            $0.field("behavior", "deny")
            $0.field("message", message)
        }
    }

    /// Answers a tool server. `content`: the filled-in form; nil if there is none.
    static func elicited(_ request: String, _ action: String, content: [UInt8]? = nil) -> [UInt8] {
        response(request) {
            $0.field("action", action)
            if let content { $0.raw("content", content) }
        }
    }

    /// Refuses a request that we do not answer; without this the agent would wait for ever.
    static func refuse(_ request: String, _ message: String) -> [UInt8] {
        line {
            $0.field("type", "control_response")
            $0.object("response") {
                $0.field("subtype", "error")
                $0.field("request_id", request)
                $0.field("error", message)
            }
        }
    }

    private static func request(_ id: String, _ subtype: String, _ body: (inout JSONWriter) -> Void = { _ in }) -> [UInt8] {
        line {
            $0.field("type", "control_request")
            $0.field("request_id", id)
            $0.object("request") {
                $0.field("subtype", subtype)
                body(&$0)
            }
        }
    }

    private static func response(_ request: String, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        line {
            $0.field("type", "control_response")
            $0.object("response") {
                $0.field("subtype", "success")
                $0.field("request_id", request)
                $0.object("response", body)
            }
        }
    }

    private static func line(_ body: (inout JSONWriter) -> Void) -> [UInt8] { JSONWriter.object(body) + [UInt8(ascii: "\n")] }
}
