internal import RelayProtocol

/// The lines with which we steer, each whole and with its line feed.
enum SteeringLine {
    static func prompt(_ id: [UInt8], session: String, text: String, _ pictures: [Picture] = []) -> [UInt8] {
        request(id, "session/prompt") {
            $0.field("sessionId", session)
            $0.array("prompt", pictures.map(block) + [block(text)])
        }
    }

    static func cancel(session: String) -> [UInt8] {
        notification("session/cancel") { $0.field("sessionId", session) }
    }

    /// Sets the mode by the method that fits the agent's list of modes.
    static func setMode(_ id: [UInt8], session: String, _ mode: String, option: String?) -> [UInt8] {
        guard let option else {
            return request(id, "session/set_mode") {
                $0.field("sessionId", session)
                $0.field("modeId", mode)
            }
        }
        return request(id, "session/set_config_option") {
            $0.field("sessionId", session)
            $0.field("configId", option)
            $0.field("value", mode)
        }
    }

    // MARK: For the editor

    static func said(_ text: String, session: String) -> [UInt8] {
        update(session, "user_message_chunk") { $0.raw("content", block(text)) }
    }

    static func modeChanged(_ mode: String, session: String) -> [UInt8] {
        update(session, "current_mode_update") { $0.field("currentModeId", mode) }
    }

    static func optionsChanged(_ options: some Sequence<UInt8>, session: String) -> [UInt8] {
        update(session, "config_option_update") { $0.raw("configOptions", options) }
    }

    static func cancelRequest(_ id: [UInt8]) -> [UInt8] {
        notification("$/cancel_request") { $0.raw("requestId", id) }
    }

    /// Answers a prompt that the editor cancelled before the agent had it.
    static func promptCancelled(_ id: [UInt8]) -> [UInt8] {
        line { writer in
            writer.raw("id", id)
            writer.object("result") { $0.field("stopReason", "cancelled") }
        }
    }

    // MARK: Inside

    private static func block(_ text: String) -> [UInt8] {
        JSONWriter.object {
            $0.field("type", "text")
            $0.field("text", text)
        }
    }

    private static func block(_ picture: Picture) -> [UInt8] {
        JSONWriter.object {
            $0.field("type", "image")
            $0.field("mimeType", picture.type.rawValue)
            $0.field("data", picture.content)
        }
    }

    private static func update(_ session: String, _ kind: String, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        notification("session/update") { writer in
            writer.field("sessionId", session)
            writer.object("update") {
                $0.field("sessionUpdate", kind)
                body(&$0)
            }
        }
    }

    private static func request(_ id: [UInt8], _ method: String, _ params: (inout JSONWriter) -> Void) -> [UInt8] {
        line { writer in
            writer.raw("id", id)
            writer.field("method", method)
            writer.object("params", params)
        }
    }

    private static func notification(_ method: String, _ params: (inout JSONWriter) -> Void) -> [UInt8] {
        line { writer in
            writer.field("method", method)
            writer.object("params", params)
        }
    }

    private static func line(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("jsonrpc", "2.0")
            body(&writer)
        } + [UInt8(ascii: "\n")]
    }
}
