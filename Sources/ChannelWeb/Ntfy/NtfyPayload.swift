import PushPlanner
package import RelayProtocol

/// A message to a topic, in the JSON that ntfy publishes: https://docs.ntfy.sh/publish/#publish-as-json.
///
/// Without topic and buttons, which are secret, the planner stores it and clients see it; `message(_:to:sequence:at:)` adds them
/// when it is sent.
package enum NtfyPayload {
    /// ntfy turns a message above 4,096 bytes into an attachment; all text that the planner composes fits.
    static let textBytesMax = Payload.alertTextBytesMax

    /// The payload of content that fits. With a code it contains `"code":"CODE"`, which the runner replaces.
    static func bytes(_ content: AlertContent, _ language: PushLanguage, pageURL: String) -> [UInt8] {
        // ntfy shows no subtitle, and in the body it could be mistaken for a part of the question.
        let title = [content.text.title, content.text.subtitle].compactMap(\.self).joined(separator: " · ")
        return JSONWriter.object { message in
            message.field("title", title)
            message.field("message", content.text.body)
            message.field("priority", content.priority)
            if let tag = content.tag { message.strings("tags", [tag]) }
            message.field("click", pageURL + content.place)
            message.object("heliograph") {
                $0.field("kind", content.kind?.rawValue ?? "test")
                if content.hasCode { $0.field("code", "CODE") }
                if !content.decisions.isEmpty {
                    $0.strings("decisions", content.decisions)
                    $0.field("language", language.code)
                }
            }
        }
    }

    /// The request's body. `payload` has its code; `sequence` names the notification, so that a later one replaces it (ntfy 2.16
    /// and later).
    ///
    /// The buttons post the code to the relay at `pageURL`. A button that succeeds clears its notification.
    package static func message(
        _ payload: [UInt8], to topic: String, sequence: String?, at pageURL: String
    ) throws(WireError) -> [UInt8] {
        let root = try JSONDocument(parsing: payload).root.object()
        let own = try root.required("heliograph").object()
        let code = try own.optionalString("code")
        var buttons: [[UInt8]] = []
        if let code, own.optional("decisions") != nil {
            // Older payloads name no language.
            let words = PushLanguage(tag: try own.optionalString("language")).words
            for entry in try own.array("decisions") { buttons.append(button(try entry.string(), words, code, pageURL)) }
        }
        var members: [(name: String, json: [UInt8])] = []
        for (name, value) in try root.members() where name != "heliograph" {
            members.append((name, Array(value.bytes)))
        }
        return JSONWriter.object { message in
            message.field("topic", topic)
            message.field("sequence_id", sequence)
            for member in members { message.raw(dynamic: member.name, member.json) }
            if !buttons.isEmpty { message.array("actions", buttons) }
        }
    }

    private static func button(_ decision: String, _ words: any PushWords, _ code: String, _ pageURL: String) -> [UInt8] {
        JSONWriter.object { action in
            action.field("action", "http")
            action.field("label", decision == "deny" ? words.deny : words.allow)
            action.field("url", "\(pageURL)/v1/decisions/\(code)")
            action.field("method", "POST")
            action.field("body", String(decoding: JSONWriter.object { $0.field("decision", decision) }, as: UTF8.self))
            action.field("clear", true)
        }
    }
}

extension AlertContent {
    /// Priority from 1, the lowest, to 5: https://docs.ntfy.sh/publish/#message-priority.
    fileprivate var priority: Int64 {
        switch level {
        case .passive: 1
        case .active: 3
        case .timeSensitive: 4
        }
    }

    /// A name that ntfy shows as an emoji before the title.
    fileprivate var tag: String? {
        switch kind {
        case .approval: level == .passive ? "heavy_check_mark" : "raised_hand"
        case .question: level == .passive ? "heavy_check_mark" : "question"
        case .error: "warning"
        case .finished: "white_check_mark"
        case .budget: "moneybag"
        case nil: nil
        }
    }
}
