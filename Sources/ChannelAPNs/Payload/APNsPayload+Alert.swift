package import PushPlanner
package import RelayProtocol

extension APNsPayload {
    /// An ordinary notification. Next to `aps` are the fields that the app needs to open or decide: with `code` also the string
    /// `CODE`, which the runner replaces. With `sealed` the text is the public one, and the runner adds the ciphertext, which
    /// includes the code and for which room is left. `kind` is nil if the person tests whether pushes arrive, which an app reads as
    /// `test`. `expiresAt` in milliseconds since 1970.
    ///
    /// `mayAllow` refers to the text that the person reads: the plain one, or with `sealed` the one in the ciphertext. If text has
    /// to be cut here, the alert loses the category that allows.
    package static func alert(
        _ profile: Profile, kind: AlertKind?, text: AlertText, thread: String, level: AlertLevel, expiresAt: Int64? = nil,
        session: SessionID?, approval: ApprovalID?, code: Bool, mayAllow: Bool, sealed: Bool,
        line: String? = nil
    ) -> [UInt8] {
        // A passive alert, or one that only counts requests, asks for nothing, so that it gets no buttons.
        let asks = level != .passive && (approval != nil || kind != .approval && kind != .question)
        func bytes(_ text: AlertText, mayAllow: Bool) -> [UInt8] {
            JSONWriter.object { payload in
                payload.object("aps") { aps in
                    aps.object("alert") {
                        $0.field("title", text.title)
                        $0.field("subtitle", text.subtitle)
                        $0.field("body", text.body)
                    }
                    if level != .passive { aps.field("sound", "default") }
                    aps.field("category", profile.category(for: asks ? kind : nil, mayAllow: mayAllow))
                    aps.field("thread-id", thread)
                    aps.field("interruption-level", level.rawValue)
                    if sealed || line != nil { aps.field("mutable-content", 1) }
                }
                payload.object("heliograph") {
                    $0.field("session", session)
                    $0.field("approval", approval)
                    $0.field("kind", kind?.rawValue ?? "test")
                    if code, !sealed { $0.field("code", "CODE") }
                    $0.field("expiresAt", expiresAt)
                    $0.field("line", line)
                }
            }
        }
        let empty = AlertText(title: "", subtitle: text.subtitle.map { _ in "" }, body: "", isWhole: false)
        // Room for the larger of the two categories.
        let envelope = max(bytes(empty, mayAllow: true).count, bytes(empty, mayAllow: false).count)
        let added = (code && !sealed ? Payload.codeBytesMax - 4 : 0) + (sealed ? sealedBytesMax : 0)
        let fitting = text.cut(to: bytesMax - envelope - added)
        return bytes(fitting, mayAllow: mayAllow && (sealed || fitting.isWhole))
    }
    static func alert(_ profile: Profile, _ content: AlertContent) -> [UInt8] {
        alert(
            profile, kind: content.kind, text: content.text, thread: content.thread, level: content.level,
            session: content.session, approval: content.approval, code: content.hasCode, mayAllow: content.mayAllow,
            // With the ciphertext for the device's own key there is no room for both.
            sealed: content.isSealed, line: content.isSealed ? nil : content.line)
    }
}
