import PushPlanner
import RelayProtocol

/// The JSON of a push to a browser: the declarative form, which Safari reads itself and passes to the worker, and every other browser
/// passes on unchanged.
enum WebPayload {
    /// Largest payload that Firefox on Android receives; see `WebPushMessage.textBytesMax`.
    static let bytesMax = 2_600
    /// Marks the form that Safari shows without the worker: the number of RFC 8030.
    private static let form: Int64 = 8_030
    private static let separator = " · "

    /// The content cut so that it fits. It cannot be allowed from the alert if its text is cut, or unless the person permits it on
    /// the Lock Screen.
    static func fitting(_ content: AlertContent, on device: Device, pageURL: String) -> AlertContent {
        var content = content
        content.mayAllow = content.mayAllow && device.allowsOnLockScreen
        var empty = content
        empty.text = AlertText(title: "", subtitle: nil, body: "", isWhole: false)
        let code = content.hasCode ? Payload.codeBytesMax - 4 : 0
        func room() -> Int { bytesMax - bytes(empty, pageURL: pageURL).count - code - separator.utf8.count }
        // The text has priority over the sealed line.
        if content.text.cut(to: room()) != content.text.cut(to: .max) { (content.line, empty.line) = (nil, nil) }
        content.text = content.text.cut(to: room())
        content.mayAllow = content.mayAllow && content.text.isWhole
        return content
    }

    /// The payload of content that fits. With a code it contains `"code":"CODE"`, which the runner replaces.
    static func bytes(_ content: AlertContent, pageURL: String) -> [UInt8] {
        // A browser shows no subtitle, and in the body it could be mistaken for a part of the question.
        let title = [content.text.title, content.text.subtitle].compactMap { $0 }.joined(separator: separator)
        let decisions = content.decisions
        let rings = content.level != .passive
        return JSONWriter.object { push in
            push.field("web_push", form)
            push.flag("mutable", true)
            push.object("notification") { notification in
                notification.field("title", title)
                notification.field("body", content.text.body)
                notification.field("tag", content.replaces)
                notification.field("navigate", pageURL + content.place)
                notification.flag("silent", !rings)
                notification.object("data") { data in
                    data.object("heliograph") {
                        $0.field("kind", content.kind?.rawValue ?? "test")
                        $0.field("session", content.session)
                        $0.field("approval", content.approval)
                        if content.hasCode { $0.field("code", "CODE") }
                        if !decisions.isEmpty { $0.strings("decisions", decisions) }
                        if !rings { $0.field("rings", false) }
                        $0.field("line", content.line)
                    }
                }
            }
        }
    }
}
